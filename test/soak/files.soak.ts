/** Built-in tools on files that people and programs change meanwhile: no word is lost or comes twice, no refusal stays. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";
import type { Reply, ToolCall } from "../support/live-model.ts";
import { neovims } from "../support/neovim.ts";
import { processesWith } from "../support/processes.ts";
import { createRandom, type Random } from "../support/random.mjs";
import {
  anyFileCall,
  type Change,
  inEditor,
  linesOf,
  makeFiles,
  onDisk,
  ordinary,
  secretWord,
  swapFolder,
  type Words,
  word,
  wordsNow,
} from "./any-files.ts";
import { faultsOf } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import {
  arrived,
  backToChat,
  denyPrompts,
  heard,
  lastAnswer,
  listen,
  look,
  press,
  staleStatus,
  unspoken,
  untilNothingRuns,
} from "./user.ts";

interface Play {
  readonly live: LiveChat;
  readonly random: Random;
  readonly words: Words;
  readonly repo: string;
  readonly done: string[];
  readonly open: Reply[];
  /** By the id of the call. */
  readonly changes: Map<string, Change>;
  /** Words of people and programs that were written. */
  readonly written: Set<string>;
  /** Words that somebody took away. */
  readonly gone: Set<string>;
  isTakenBack: boolean;
  isSecretSent: boolean;
  calls: number;
}

const counts = z.record(z.string(), z.number());
type Counts = z.infer<typeof counts>;

async function wordsOf({ live, repo }: Play): Promise<readonly [disk: Counts, buffers: Counts]> {
  const found = await live.nvim.lua(`${wordsNow} return { words_now((...)) }`, repo);
  return z.tuple([counts, counts]).parse(found);
}

/** Somebody does that in one go: what is not there any more afterwards is theirs, and the word where it is. */
async function inOneGo(play: Play, own: string, code: string, given: object): Promise<void> {
  const gone = await play.live.nvim.lua(
    `${wordsNow}
    local repo, own, given = ...
    local path, place, buf = given.path, given.place, nil
    if place then
      buf = vim.fn.bufadd(path)
      vim.fn.bufload(buf)
    end
    local before = { words_now(repo) }
    pcall(function() ${code} end)
    local gone = {}
    for index, now in ipairs({ words_now(repo) }) do
      for one, times in pairs(before[index]) do
        if (now[one] or 0) < times then gone[#gone + 1] = one end
      end
    end
    return gone`,
    play.repo,
    own,
    given,
  );
  for (const one of z.array(z.string()).parse(gone)) play.gone.add(one);
  const [disk, buffers] = await wordsOf(play);
  if (disk[own] || buffers[own]) play.written.add(own);
}

async function editBuffer(play: Play): Promise<string> {
  const { random, repo } = play;
  const name = random.of([...ordinary.slice(0, 4), "open.txt", "link.txt", "empty.txt", "new.txt"]);
  const own = play.words.next("p");
  const how = random.of(inEditor);
  await inOneGo(play, own, how, { path: join(repo, name), place: random.below(6) });
  return `in ${name}: ${how} (${own})`;
}

async function changeFile(play: Play): Promise<string> {
  const { random, repo } = play;
  const name = random.of([...ordinary.slice(0, 4), "link.txt", "new.txt", "sub/four.txt"]);
  const own = play.words.next("x");
  const how = random.of(onDisk);
  await inOneGo(play, own, how, { path: join(repo, name) });
  return `another program, ${name}: ${how} (${own})`;
}

async function swap(play: Play): Promise<string> {
  await inOneGo(play, "", swapFolder, {});
  return "swaps the folder";
}

const commands = ["changes", "undo-edits", "stop", "tools", "status", "restart", "copy", "log"];

async function command(play: Play): Promise<string> {
  const given = play.random.of(commands);
  await press(play.live.nvim, "<Esc><C-\\><C-n>");
  if (given === "undo-edits") play.isTakenBack = true;
  // Not waited for: an answer to a prompt may interrupt that, and whatever of Parley runs meanwhile.
  await look(play.live.nvim, `Parley ${given}`, 0);
  return `:Parley ${given}`;
}

const meanwhile = (play: Play): Promise<string> =>
  play.random.weighted<(play: Play) => Promise<string>>([
    [6, editBuffer],
    [4, changeFile],
    [0.5, swap],
    [1, command],
  ])(play);

function callId(play: Play): string {
  play.calls += 1;
  return `call_${play.calls}`;
}

const read = (play: Play, path: string): ToolCall => {
  return { id: callId(play), name: "read_file", arguments: JSON.stringify({ path }) };
};

function takeReply(play: Play): Reply | undefined {
  const reply = play.open.shift();
  if (JSON.stringify(reply?.messages ?? []).includes(secretWord)) play.isSecretSent = true;
  return reply;
}

async function answer(play: Play): Promise<string> {
  const { random } = play;
  const reply = takeReply(play);
  if (reply === undefined) return "nothing to answer";
  if (random.below(8) === 0) {
    reply.end(random.of(["stop", "length"]));
    return "an empty answer";
  }
  const calls: ToolCall[] = [];
  for (let index = 1 + random.below(4); index > 0; index -= 1) {
    const { call, path, ...change } = await anyFileCall(callId(play), play);
    play.changes.set(call.id, change);
    if (path !== null && random.below(4) > 0) calls.push(read(play, path));
    calls.push(call);
  }
  reply.callTools(...calls);
  reply.end("tool_calls");
  return `calls ${calls.map(({ id, name, arguments: all }) => `${id} ${name} ${all.slice(0, 300)}`).join("; ")}`;
}

async function turn(play: Play): Promise<void> {
  const { live, random, done } = play;
  while (random.below(2) === 0) done.push(await meanwhile(play));
  await backToChat(live.nvim);
  await press(live.nvim, `Go💬: next ${done.length}<Esc><C-g><C-g>`);
  done.push("asks");
  for (let step = 0; step < 8; step += 1) {
    await arrived(play, 1500);
    if (play.open.length === 0) break;
    done.push(await answer(play));
    await new Promise((resolve) => setTimeout(resolve, random.below(12)));
    while (random.below(2) === 0) {
      done.push(await meanwhile(play));
      await new Promise((resolve) => setTimeout(resolve, random.below(10)));
    }
  }
}

/** The results in the chat, by the call's id. */
function resultsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let id: string | undefined;
  for (const line of text.split("\n")) {
    if (/^(❓|💬|🤖|<!-- parley)/u.test(line)) id = undefined;
    if (line.startsWith("🛠️")) id = /call_\d+/.exec(line)?.[0];
    if (id !== undefined) found.set(id, `${found.get(id) ?? ""}${line}\n`);
  }
  return found;
}

const isDone = (result: string) => /was (made|changed): /.test(result);

async function judge(play: Play): Promise<string[]> {
  const [disk, buffers] = await wordsOf(play);
  const count = (one: string) => Math.max(disk[one] ?? 0, buffers[one] ?? 0);
  const results = resultsIn(await play.live.nvim.text());
  const faults: string[] = [];
  const taken = new Set<string>();
  for (const [id, { takes, brings, isEdit }] of play.changes) {
    const result = results.get(id) ?? "";
    const isUnknown = result === "" || /is in the buffer of|cancelled|unknown/.test(result);
    if (isDone(result) || isUnknown) for (const one of takes) taken.add(one);
    for (const own of brings) {
      if (count(own) > 1) faults.push(`${own} of ${id} is there ${count(own)} times`);
      if (count(own) > 0 && isEdit && !isDone(result) && !isUnknown) {
        faults.push(`${own} of ${id} is there, and its result says: ${result}`);
      }
      if (isDone(result) && !play.isTakenBack) play.written.add(own);
    }
  }
  for (const one of play.written) {
    if (count(one) === 0 && !play.gone.has(one) && !taken.has(one)) faults.push(`${one} is lost`);
  }
  return faults;
}

/** Once nothing stands in the way, each file can be read and edited. */
async function editAll(play: Play): Promise<string[]> {
  const { live, repo } = play;
  await live.nvim.lua(
    `local repo, names = ...
    for _, name in ipairs(names) do
      vim.uv.fs_chmod(repo .. "/" .. name, tonumber("644", 8))
    end
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buf), repo) then
        vim.bo[buf].readonly, vim.bo[buf].modifiable = false, true
        local command = vim.bo[buf].modified and "edit!" or "checktime"
        pcall(vim.api.nvim_buf_call, buf, function() vim.cmd("silent! " .. command) end)
      end
    end`,
    repo,
    ordinary,
  );
  const calls: ToolCall[] = [];
  for (const name of ordinary) {
    const [own] = (await linesOf(join(repo, name))).join("\n").match(word) ?? [];
    const real = await realpath(join(repo, name)).catch(() => "");
    // Not where a program left something that is no text.
    const isText = own !== undefined && !(await linesOf(real)).join().includes("\0");
    if (!isText || !real.startsWith(`${await realpath(repo)}/`)) continue;
    const args = { path: name, old_text: own, new_text: `<edited> ${own}`, replace_all: true };
    const call = { id: callId(play), name: "edit_file", arguments: JSON.stringify(args) };
    calls.push(read(play, name), call);
  }
  await press(live.nvim, "<Esc><C-\\><C-n>Go💬: edit all<Esc><C-g><C-g>");
  await arrived(play, 10_000);
  const reply = takeReply(play);
  reply?.callTools(...calls);
  reply?.end("tool_calls");
  await arrived(play, 10_000);
  const results = resultsIn(await live.nvim.text());
  const refused = calls.filter(
    ({ id, name }) => name === "edit_file" && !isDone(results.get(id) ?? ""),
  );
  return refused.map(({ id, arguments: all }) => `${all} is refused: ${results.get(id)}`);
}

async function act(play: Play): Promise<string[]> {
  const { live, open } = play;
  const { nvim } = live;
  for (const one of await makeFiles(play.repo, play.words, play.random)) play.written.add(one);
  await nvim.command(`cd ${play.repo}`);
  // Edits may be taken back; nothing outside is ever allowed.
  await nvim.lua(`vim.ui.select = function(_, options, done)
    done((options.prompt or ""):find("Take back") and "Yes" or nil)
  end`);
  await listen(nvim);
  for (let index = 0; index < 6; index += 1) await turn(play);
  const before = await nvim.messages();
  await untilNothingRuns(nvim);
  const faults = await staleStatus(nvim);
  await arrived(play, 0);
  const held = open.splice(0).filter((reply) => !reply.isGone());
  faults.push(...held.map(() => "Nothing runs, and a request is still open"));
  const left = processesWith("sleep 1234");
  if (left.length > 0) faults.push(`${left.length} commands are left`);
  await backToChat(nvim);
  faults.push(...(await judge(play)), ...(await editAll(play)));
  if (play.isSecretSent) faults.push("a secret was sent");
  const text = await lastAnswer(play);
  if (unspoken.test(text)) faults.push(`in the text: ${unspoken.exec(text)?.[0]}\n${text}`);
  faults.push(...(await heard(nvim)), ...[before].filter((one) => unspoken.test(one)));
  return faults;
}

const configuration = `require("parley").setup({
  model = "openai/live", auto_approve = "builtin", command_timeout = 1,
  rules = { allow = { { tool = "run_command", arguments = { command = "sh *" } } } },
})`;

describe.each(neovims)("files that tools change in Neovim $version", ({ path, version }) => {
  it.each(seedsOfRun(40))("of seed %i", async (seed) => {
    const text =
      "---\ntopic: live\nmodel: openai/live\ntools: builtin, run_command\n---\n\n💬: what is new?\n";
    const live = await openLiveChat({ path, init: configuration, chat: { text } });
    let count = 0;
    const words = { next: (kind: string) => `<${kind}${++count}>` };
    const play: Play = {
      ...{ live, random: createRandom(seed), words, repo: join(live.nvim.home, "repo") },
      ...{ done: [], open: [], changes: new Map(), written: new Set(), gone: new Set() },
      ...{ isTakenBack: false, isSecretSent: false, calls: 0 },
    };
    const watchdog = denyPrompts(live);
    const faults = await faultsOf(`files ${seed} in ${version}`, play.done, act(play));
    clearInterval(watchdog);
    expect(faults).toEqual([]);
  });
});
