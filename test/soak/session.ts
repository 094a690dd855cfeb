/** What a random session works with: a chat in Neovim, a model, tools, and words that are never twice the same. */
import { dirname, join } from "node:path";
import { z } from "zod";
import type { LiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { createRandom, type Random } from "../support/random.mjs";
import type { Said } from "./verdict.ts";

/** One answer of the model, and what was said in it. */
export interface OpenReply {
  readonly reply: Reply;
  readonly said: Said;
}

export interface Session {
  readonly live: LiveChat;
  readonly random: Random;
  readonly path: string;
  /** Answers that the model has not ended yet. */
  readonly open: OpenReply[];
  readonly replies: Said[];
  /** What was done, in words, for whoever looks at a seed that failed. */
  readonly done: string[];
  /** Names of tool calls that wait for their result. */
  readonly held: Set<string>;
  /** The same chat in a second Neovim, where the session has one. */
  readonly beside: Session | null;
  /** Whether this is the second Neovim. */
  readonly isBeside: boolean;
  /** A new word, of the user (`P`), the model (`m`), a tool (`t`) or another program (`x`). */
  word(kind: "P" | "m" | "t" | "x"): string;
  /** Types, and waits until Neovim has taken all of it. */
  type(keys: string): Promise<void>;
}

/** A second chat of a session. Its question has a word that requests of no other chat have. */
export const otherChat = {
  marker: "{elsewhere}",
  path: (path: string) => path.replace(/\.md$/, "-other.md"),
} as const;

/** Milliseconds in which Neovim, host and model must come to rest. */
export const patienceMs = 15_000;

/** What `nvim_get_mode` says. */
export const modeAnswer = z.object({ mode: z.string(), blocking: z.boolean() });

async function typed(live: LiveChat, keys: string): Promise<void> {
  await live.nvim.input(keys);
  const end = Date.now() + patienceMs;
  for (let round = 0; ; round += 1) {
    const now = modeAnswer.parse(await live.nvim.client.request("nvim_get_mode", []));
    if (now.mode === "n" && !now.blocking) {
      // Behind the keys, not before them.
      await live.nvim.lua("return 1");
      const again = modeAnswer.parse(await live.nvim.client.request("nvim_get_mode", []));
      if (again.mode === "n" && !again.blocking) return;
    }
    if (Date.now() > end) throw new Error(`Neovim stays in mode ${now.mode} after ${keys}`);
    // A question of Neovim's own: whether to write over a file that has changed, and the like.
    const leaves = now.mode === "rm" ? "q" : now.blocking ? "n<CR>" : "<Esc>";
    if (round > 5) await live.nvim.input(leaves);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function createSession(live: LiveChat, seed: number, other: LiveChat | null): Session {
  let words = 0;
  const random = createRandom(seed);
  const path = join(dirname(live.nvim.chatPath), `soak-${seed}.md`);
  const done: string[] = [];
  const held = new Set<string>();
  const inOne = (
    one: LiveChat,
    beside: Session | null,
    kinds: Record<string, string>,
  ): Session => ({
    ...{ live: one, random, path, open: [], replies: [], done, held, beside },
    isBeside: one === other,
    word: (kind) => `{${kinds[kind] ?? kind}${++words}}`,
    type: (keys) => typed(one, keys),
  });
  // Not `Q`, which plays the last macro where it comes out in Normal mode.
  return inOne(live, other && inOne(other, null, { P: "L", m: "n" }), {});
}

/** Takes the answers that were asked for meanwhile. */
export async function takeReplies(session: Session): Promise<void> {
  for (;;) {
    const reply = session.live.model.take();
    if (reply === undefined) return;
    const seq = z.number().parse(await session.live.nvim.lua("return Watch.seq()"));
    const isElsewhere = JSON.stringify(reply.messages).includes(otherChat.marker);
    const said: Said = {
      ...{ seq, words: [], calls: [], end: null, isElsewhere, isGone: () => reply.isGone() },
    };
    session.replies.push(said);
    session.open.push({ reply, said });
    session.done.push(`(request ${session.replies.length} at ${seq})`);
  }
}

/** Says the words and ends the answer; they are what must be in the text then. */
export function endReply(
  { reply, said }: OpenReply,
  end: NonNullable<Said["end"]>,
  ...words: string[]
): void {
  for (const word of words) {
    reply.say(`${word} `);
    said.words.push(word);
  }
  said.end = end;
  if (end === "drop") reply.drop();
  else reply.end(end);
}

export async function release(session: Session, name: string): Promise<void> {
  session.held.delete(name);
  await session.live.release(name, session.word("t"));
}

/** What can happen in a session. An action gives back words for the record. */
export type Action = (session: Session) => Promise<string | null>;

/** Puts the cursor somewhere, near the end as often as anywhere. */
export async function somewhere({ live, random }: Session): Promise<string> {
  const place = random.below(1000) / 1000;
  const isLate = random.below(2) === 0;
  const row = await live.nvim.lua(
    `local place, late = ...
    local count = vim.api.nvim_buf_line_count(0)
    local row = late and math.max(1, count - math.floor(place * 6)) or 1 + math.floor(place * count)
    row = math.min(row, count)
    local line = vim.api.nvim_buf_get_lines(0, row - 1, row, false)[1]
    vim.api.nvim_win_set_cursor(0, { row, math.floor(place * 7919) % (#line + 1) })
    return row`,
    place,
    isLate,
  );
  return `line ${String(row)}`;
}

/**
 * Ends a recording that still goes on, because a prompt took the `q` that was to end it. Macros that play another are
 * forgotten: one that plays itself would go on for ever.
 */
export async function endRecording({ live: { nvim }, type }: Session): Promise<void> {
  if ((await nvim.lua("return vim.fn.reg_recording()")) !== "") await type("<Esc>q");
  await nvim.lua(`for name in ("amoq"):gmatch(".") do
    if vim.fn.getreg(name):find("@") then vim.fn.setreg(name, "") end
  end`);
}

export function anyOpen({ open, random }: Session): OpenReply | null {
  return open[random.below(Math.max(1, open.length))] ?? null;
}

export async function pause({ random }: Session, most: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, random.below(most + 1)));
}
