/** One random session: a user, a model, tools and another program work on one chat, all from one seed. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { header, type LiveChat } from "../support/live-chat.ts";
import { actions } from "./actions.ts";
import { resetOptions } from "./meanwhile.ts";
import { unhook } from "./other-plugins.ts";
import {
  createSession,
  endRecording,
  endReply,
  modeAnswer,
  otherChat,
  patienceMs,
  release,
  type Session,
  takeReplies,
} from "./session.ts";
import { hasEndedSince, verdictOf, type WatchReport, watchReport } from "./verdict.ts";

async function report(session: Session): Promise<WatchReport> {
  return watchReport.parse(await session.live.nvim.lua("return Watch.report()"));
}

/** Asks for a stop until the host says that there is nothing to stop. */
async function atRest(session: Session): Promise<void> {
  const { nvim } = session.live;
  await nvim.until(
    "the end of all that was under way",
    async () => {
      for (const { reply } of session.open.splice(0)) reply.end();
      const before = (await report(session)).seq;
      await nvim.command("Parley stop");
      // What ends at this moment anyway says what it says, or nothing.
      for (let round = 0; round < 20; round += 1) {
        const { notes } = await report(session);
        if (
          notes.some(
            ({ seq, text }) => seq > before && /Nothing is running|is not a chat/.test(text),
          )
        )
          return true;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return false;
    },
    patienceMs,
  );
}

/** Ends what is open as it should end, then asks one more question, which must be answered and saved. */
async function finish(session: Session): Promise<void> {
  const { live, open, held, path } = session;
  const { nvim } = live;
  await unhook(session);
  await session.type("<Esc>");
  await nvim.lua("if vim.fn.getcmdwintype() ~= '' then vim.cmd('quit') end");
  await nvim.lua("Watch.answers = 'yes'");
  for (let quiet = 0; quiet < 5; quiet += 1) {
    await takeReplies(session);
    if (open.length > 0 || held.size > 0) quiet = 0;
    for (const name of held) await release(session, name);
    for (const one of open.splice(0)) endReply(one, "stop", session.word("m"));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await nvim.lua("vim.cmd('silent! bwipe! ' .. vim.fn.fnameescape((...)))", otherChat.path(path));
  await atRest(session);
  await nvim.lua("vim.cmd('silent! setlocal modifiable noreadonly nowinfixbuf')");
  await nvim.lua(
    "vim.cmd.edit({ args = { (...) }, bang = false, mods = { silent = true, emsg_silent = true } })",
    path,
  );
  await nvim.lua(
    "if not require('parley.text.chats').is_chat(0) then vim.cmd('Parley attach') end",
  );
  // A conflict with another program is the user's to settle, and here they have.
  await session.type(":silent! w!<CR>");
  // Who typed into the name of the model gets no answer, and is told so.
  await nvim.lua("vim.cmd([[silent! %s/^model:.*/model: openai\\/live/]])");
  await nvim.lua(
    "vim.api.nvim_buf_set_lines(0, -1, -1, false, { '', '💬: ' .. (...), '' })",
    session.word("P"),
  );
  await nvim.until(
    "an answer to the last question",
    async () => {
      // A list that was asked for from a host that was just killed opens late.
      await nvim.lua("vim.cmd('silent! edit ' .. vim.fn.fnameescape((...)))", path);
      await session.type("G<C-g><C-g>");
      for (let round = 0; round < 50 && open.length === 0; round += 1) {
        await takeReplies(session);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return open.length > 0;
    },
    patienceMs,
  );
  const words: string[] = [];
  await nvim.until(
    "the last answer, saved",
    async () => {
      await takeReplies(session);
      // A request that was stopped before it was taken is among them, and nobody hears its answer.
      for (const one of open.splice(0)) {
        if (one.reply.isGone()) continue;
        words.push(session.word("m"));
        endReply(one, "stop", words.at(-1) ?? "");
      }
      const { text, modified } = z.object({ text: z.string(), modified: z.boolean() }).parse(
        await nvim.lua(
          `local buf = vim.fn.bufnr((...))
            local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
            return { text = table.concat(lines, '\\n'), modified = vim.bo[buf].modified }`,
          path,
        ),
      );
      return (
        text.includes(words.at(-1) ?? "nothing yet") &&
        !modified &&
        (await readFile(path, "utf8")) === `${text}\n`
      );
    },
    patienceMs,
  );
  await atRest(session);
  const lastSeq = session.replies.at(-1)?.seq ?? 0;
  await nvim.until("the end of the last answer, told", async () =>
    hasEndedSince(lastSeq, await report(session)),
  );
}

/** Whatever Neovim itself asks (a file that changed, and the like) is answered, or all would wait for it. */
function answerPrompts({ live, done }: Session): NodeJS.Timeout {
  let asked = 0;
  return setInterval(async () => {
    const { blocking, mode } = modeAnswer.parse(
      await live.nvim.client.request("nvim_get_mode", []),
    );
    // In 0.12 a dialog reads its key as a command line does.
    asked = blocking || mode.startsWith("r") ? asked + 1 : 0;
    if (asked < 2) return;
    done.push(`(Neovim asked, in mode ${mode})`);
    // On a small screen a dialog begins with its text page by page.
    if (mode === "rm") return void (await live.nvim.input("q"));
    // An autosave that asks again at each answer ends with a yes. A dialog takes the first key alone, and one about a
    // changed file knows none of the letters: OK is its default, and l reads the file.
    await live.nvim.input(["n<CR>", "y", "e<Esc>", "<CR>", "l"][asked % 5] ?? "");
  }, 300);
}

/**
 * Plays the session of a seed in a Neovim, and in a second one with the same chat where there is one. Gives back what
 * was wrong: sentences, none when all went well.
 */
export async function playSession(
  live: LiveChat,
  seed: number,
  beside: LiveChat | null = null,
): Promise<string[]> {
  const session = createSession(live, seed, beside);
  // A Neovim that crashed answers nothing, so whatever was asked of it would wait for ever.
  const crashed = Promise.race([live, ...(beside ? [beside] : [])].map(({ nvim }) => nvim.gone()));
  return Promise.race([
    play(session, seed),
    crashed.then(() => ["Neovim ended in the middle of the session.", ...details(session, "")]),
  ]);
}

async function play(session: Session, seed: number): Promise<string[]> {
  const { live, beside } = session;
  const both = [session, ...(beside ? [beside] : [])];
  const runsBefore = live.runs().length;
  await writeFile(
    session.path,
    `${header.replace("tools: mock\n", "tools: mock\ntool_protocol: native-only\n")}💬: ${session.word("P")}\n`,
  );
  const watchdogs = both.map(answerPrompts);
  const steps = (12 + session.random.below(14)) * both.length;
  try {
    for (const one of both) await begin(one, seed);
    for (let step = 0; step < steps; step += 1) {
      const one = beside !== null && session.random.below(2) === 0 ? beside : session;
      for (const each of both) await takeReplies(each);
      await endRecording(one);
      const words = await session.random.weighted(actions)(one);
      if (words !== null) session.done.push(one === beside ? `  beside: ${words}` : words);
    }
    if (beside) await leave(beside);
    await finish(session);
    const runs = live.runs().slice(runsBefore);
    const faults = await faultsOf(session, both, runs);
    // How the second one left the chat is not told by its last answer.
    if (beside) faults.push(...(await faultsOf({ ...beside, replies: [] }, both, runs)));
    if (faults.length === 0) return [];
    return [...faults, ...details(session, await live.nvim.text()), ...(await traces(both))];
  } catch (error) {
    const faults = await faultsOf({ ...session, replies: [] }, [], []);
    return [...faults, `${String(error)}`, ...details(session, ""), ...(await traces(both))];
  } finally {
    for (const watchdog of watchdogs) clearInterval(watchdog);
    for (const name of session.held) await release(session, name);
    for (const each of both) await unhook(each);
    for (const { live: one } of both) {
      await one.nvim.lua("if vim.fn.getcmdwintype() ~= '' then vim.cmd('quit') end");
      await one.nvim.command(`silent! %bwipe! | ${resetOptions} | messages clear`);
    }
    await rm(session.path, { force: true });
    await rm(otherChat.path(session.path), { force: true });
  }
}

async function begin(session: Session, seed: number): Promise<void> {
  const { nvim } = session.live;
  await nvim.lua(
    "vim.cmd('silent edit ' .. vim.fn.fnameescape((...))) Watch.begin(select(2, ...))",
    session.path,
    seed,
    session.isBeside,
  );
  await nvim.ready();
  await session.type("G");
}

/** The second Neovim lets go of the chat, in the middle of whatever goes on there. */
async function leave(beside: Session): Promise<void> {
  for (const { reply } of beside.open.splice(0)) reply.end();
  await beside.type("<Esc>");
  await beside.live.nvim.command("silent! %bwipe!");
}

async function faultsOf(
  session: Session,
  all: readonly Session[],
  runs: readonly string[],
): Promise<string[]> {
  const others = all.filter(({ live }) => live !== session.live);
  const keys = await Promise.all(others.map(async (one) => (await report(one)).keys));
  return verdictOf(await report(session), {
    ...{ replies: session.replies, runs, messages: await session.live.nvim.messages() },
    beside: { replies: all.flatMap(({ replies }) => replies), keys: keys.flat() },
  });
}

function details({ done }: Session, text: string): string[] {
  return [`--- what was done\n${done.join("\n")}`, `--- text\n${text}`];
}

async function traces(sessions: readonly Session[]): Promise<string[]> {
  return Promise.all(sessions.map(async (session) => trace(await report(session))));
}

function trace({ notes, events, keys, sent }: WatchReport): string {
  const all = [
    ...notes.map(({ seq, text }) => ({ seq, words: `says: ${text.split("\n")[0]}` })),
    ...events.map(({ seq, name, reason }) => ({ seq, words: `${name} ${reason}` })),
    ...keys.map(({ seq, key, texts }) => ({ seq, words: `key ${key} on ${texts.length}` })),
    ...sent.map(({ seq, action }) => ({ seq, words: action })),
  ];
  const lines = all.sort((a, b) => a.seq - b.seq).map(({ seq, words }) => `${seq} ${words}`);
  return `--- what came of it\n${lines.join("\n")}`;
}
