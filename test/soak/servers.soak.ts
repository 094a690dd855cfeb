/** MCP servers that break the protocol, ask anything, change and end, while somebody decides: each call ends, once. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { kill } from "node:process";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { neovims } from "../support/neovim.ts";
import { processesWith } from "../support/processes.ts";
import { createRandom, type Random } from "../support/random.mjs";
import { anyCall, anyServers } from "./any-servers.ts";
import { faultsOf } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import { modeAnswer } from "./session.ts";
import {
  answerPrompts,
  arrived,
  backToChat,
  heard,
  lastAnswer,
  listen,
  look,
  press,
  staleStatus,
  takeAsked,
  unspoken,
  untilNothingRuns,
} from "./user.ts";

interface Play {
  readonly live: LiveChat;
  readonly random: Random;
  readonly seed: number;
  readonly done: string[];
  readonly open: Reply[];
  /** The texts of calls that noted themselves, and how many keys that approve there were before each. */
  readonly called: Map<string, number>;
  /** Keys so far that may have approved. */
  approvals: number;
  /** Whether a tool may be remembered. */
  isRemembered: boolean;
  words: number;
}

const runsFile = ({ live }: Play) => join(live.nvim.home, "runs.txt");

async function writeServers(play: Play): Promise<string> {
  const { live, random, seed } = play;
  const file = join(live.nvim.home, "config", "nvim", "parley", "mcp.json");
  await mkdir(dirname(file), { recursive: true });
  const own = seed * 100 + random.below(50);
  const text = await anyServers(random, own, runsFile(play));
  await writeFile(file, text);
  return `mcp.json has chaos ${own}: ${text.replace(/\s+/g, " ").slice(0, 200)}`;
}

async function answer(play: Play): Promise<string> {
  const { random, open } = play;
  takeAsked(play);
  const reply = open.shift();
  if (reply === undefined) return "nothing to answer";
  if (random.below(4) === 0) reply.think("Hm. ");
  if (random.below(2) === 0) reply.say("Some words.\n");
  if (random.below(4) === 0) {
    reply.end(random.of(["stop", "length"]));
    return "an answer of words";
  }
  const calls = Array.from({ length: 1 + random.below(3) }, () => {
    play.words += 1;
    const text = `text-${play.seed}-${play.words}`;
    const call = anyCall(random, text, play.words);
    if (call.name.startsWith("mcp__chaos")) play.called.set(text, play.approvals);
    return call;
  });
  reply.callTools(...calls);
  reply.end("tool_calls");
  return `calls ${calls.map(({ id, name, arguments: all }) => `${id} ${name} ${all.slice(0, 120)}`).join("; ")}`;
}

async function ask(play: Play): Promise<string> {
  const { random } = play;
  await press(play.live.nvim, "<Esc><C-\\><C-n>");
  await backToChat(play.live.nvim);
  play.words += 1;
  await press(play.live.nvim, `Go💬: next ${play.words}<Esc><C-g><C-g>`);
  await arrived(play, random.of([0, 100, 1500]));
  return "asks";
}

async function decide(play: Play): Promise<string> {
  const { live, random } = play;
  const keys = random.weighted([
    [6, "ya"],
    [4, "yo"],
    [1, "yA"],
    [1, "yO"],
    [1, "yn<CR>"],
    [1, "yNbecause<CR>"],
    [1, "<CR>"],
    [1, "K"],
    [1, "yy"],
  ]);
  await press(play.live.nvim, "<Esc><C-\\><C-n>");
  if (random.below(3) === 0) await backToChat(live.nvim);
  await live.nvim.lua("vim.fn.search('^❓: ', 'w')");
  if (/^y[aoAO]/.test(keys)) play.approvals += 1;
  if (/^y[AO]/.test(keys)) play.isRemembered = true;
  await press(play.live.nvim, keys);
  // The keys have come; a list that opened first takes them again.
  if (random.below(2) === 0) {
    await pause(play, 60);
    if (/^y[aoAO]/.test(keys)) play.approvals += 1;
    await press(play.live.nvim, keys);
  }
  return `decides ${keys}`;
}

const fillings = [
  "ggVGd<Esc>:w<CR>",
  "ABern<Esc>:Leave wq<CR>",
  ":Leave wq<CR>",
  ":Leave q<CR>",
  ":Leave q!<CR>",
  ":bwipe!<CR>",
  "/: $<CR>A3<Esc>:w<CR>",
  "jjjA<C-x><C-o><C-y><Esc>:Leave x<CR>",
  "<CR>",
  "2<CR>",
  "y",
  "n",
  "<Esc>",
  "<C-c>",
  "<C-w>p",
  ":w<CR>",
  "Gdgg:w<CR>",
  "ixx<Esc>",
] as const;

async function fill(play: Play): Promise<string> {
  const { live, random } = play;
  const isChat =
    (await live.nvim.lua("return vim.api.nvim_buf_get_name(0)")) === live.nvim.chatPath;
  const now = modeAnswer.parse(await live.nvim.client.request("nvim_get_mode", []));
  const keys =
    isChat && now.mode === "n"
      ? random.of(["<Esc>", "<C-w>p", ":w<CR>", "]w"])
      : random.of(fillings);
  await press(play.live.nvim, keys);
  return `presses ${keys}`;
}

const commands = [
  "mcp",
  "mcp restart",
  "mcp restart",
  "mcp restart",
  "mcp restart chaos",
  "mcp restart asking",
  "mcp stop chaos",
  "mcp stop",
  "mcp login remote",
  "mcp logout remote",
  "mcp trust",
  "mcp try asking.city",
  "mcp try chaos.echo",
  "mcp instructions chaos",
  "mcp instructions remote",
  "mcp log chaos",
  "tools",
  "stop",
  "stop",
  "remembered",
  "status",
  "log",
  "details",
  "restart",
  "undo-edits",
  "next",
  "prompt",
  "ask",
] as const;

async function command(play: Play): Promise<string> {
  const given = play.random.of(commands);
  await press(play.live.nvim, "<Esc><C-\\><C-n>");
  await look(play.live.nvim, `Parley ${given}`, 0);
  return `:Parley ${given}`;
}

async function killServer(play: Play): Promise<string> {
  const pids = processesWith(runsFile(play));
  for (const pid of pids) {
    try {
      kill(pid, play.random.of(["SIGKILL", "SIGTERM", "SIGSTOP"]));
    } catch (error) {
      // It has just ended.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
  return `kills ${pids.length} servers`;
}

async function pause({ random }: Play, most: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, random.below(most + 1)));
}

const state = z.object({ isChat: z.boolean(), isOpen: z.boolean(), isAnswering: z.boolean() });

/** Mostly what comes next, at times anything. */
async function next(play: Play): Promise<string> {
  const { live, random, open } = play;
  takeAsked(play);
  const now = state.parse(
    await live.nvim.lua(
      `local buf = vim.fn.bufnr((...))
      local text = buf > 0 and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\\n") or ""
      return {
        isChat = vim.api.nvim_get_current_buf() == buf,
        isOpen = text:find("\\n❓: ") ~= nil,
        isAnswering = buf > 0 and (vim.b[buf].parley_status or "") ~= "",
      }`,
      live.nvim.chatPath,
    ),
  );
  const action = random.weighted<(play: Play) => Promise<string>>([
    [open.length > 0 ? 20 : 1, answer],
    [now.isOpen && now.isChat ? 12 : 1, decide],
    [now.isChat ? 1 : 20, fill],
    [now.isAnswering || now.isOpen ? 0.5 : 12, ask],
    [2, command],
    [0.5, killServer],
    [0.7, writeServers],
    [1, async () => "waits"],
  ]);
  return action(play);
}

/** Everything is stopped, and one more question is answered. */
async function finish(play: Play): Promise<string[]> {
  const { open } = play;
  const { nvim } = play.live;
  await untilNothingRuns(nvim);
  const stale = await staleStatus(nvim);
  takeAsked(play);
  // A tool that is tried without a chat goes on, and what it asks a model.
  const isTried = play.done.some((words) => words.includes("mcp try"));
  const heldOpen = open.splice(0).filter((reply) => !reply.isGone());
  if (!isTried) stale.push(...heldOpen.map(() => "Nothing runs, and a request is still open"));
  await backToChat(nvim);
  const text = await lastAnswer(play);
  const runs = existsSync(runsFile(play)) ? readFileSync(runsFile(play), "utf8").split("\n") : [];
  const faults = [...stale];
  for (const [called, approvals] of play.called) {
    const ran = runs.filter((line) => line === called).length;
    if (ran > 1) faults.push(`${called} ran ${ran} times`);
    if (ran > 0 && !play.isRemembered && play.approvals === approvals) {
      faults.push(`${called} ran without a key`);
    }
  }
  if (unspoken.test(text)) faults.push(`in the text: ${unspoken.exec(text)?.[0]}\n${text}`);
  return faults;
}

async function act(play: Play, watchdog: NodeJS.Timeout): Promise<string[]> {
  const { live, random, done } = play;
  // Not the last window, which would end Neovim.
  await live.nvim.command("command -nargs=1 Leave if winnr('$') > 1 | <args> | endif");
  await listen(live.nvim);
  done.push(await writeServers(play));
  for (let index = 0; index < 40; index += 1) {
    done.push(await next(play));
    await pause(play, random.of([0, 20, 20, 100, 300]));
  }
  const before = await live.nvim.messages();
  const faults = await finish(play);
  faults.push(...(await heard(live.nvim)), ...[before].filter((text) => unspoken.test(text)));
  clearInterval(watchdog);
  const pid = await live.hostPid();
  await live.nvim.command("qall!").catch(() => {});
  await live.nvim.gone();
  const end = Date.now() + 5000;
  const left = () => [
    ...processesWith(`${runsFile(play)}`),
    ...processesWith("host.js").filter((one) => one === pid),
  ];
  while (left().length > 0 && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 50));
  if (left().length > 0) faults.push(`${left().length} processes are left`);
  return faults;
}

describe.each(neovims)("servers of any kind in Neovim $version", ({ path, version }) => {
  it.each(seedsOfRun(40))("of seed %i", async (seed) => {
    const live = await openLiveChat({
      path,
      chat: { text: "---\ntopic: live\nmodel: openai/live\n---\n\n💬: what is new?\n" },
    });
    const play: Play = {
      ...{ live, random: createRandom(seed), seed, done: [], open: [], called: new Map() },
      ...{ approvals: 0, isRemembered: false, words: 0 },
    };
    const watchdog = answerPrompts(live);
    const what = `servers ${seed} in ${version}`;
    const faults = await faultsOf(what, play.done, act(play, watchdog));
    clearInterval(watchdog);
    expect(faults).toEqual([]);
  });
});
