/** A user who stays in Insert mode: what they type comes out whole and in order, and undo gives back every text. */
import { describe, expect, it } from "vitest";
import { header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { neovims } from "../support/neovim.ts";
import { createRandom, type Random } from "../support/random.mjs";
import { keepFailure } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import { modeAnswer } from "./session.ts";

// The first answer writes the topic above: the last change of a turn is far from where the user types on.
const text = `${header.replace("topic: live", "topic: ?")}💬: what is new?\n`;

interface Life {
  readonly live: LiveChat;
  readonly random: Random;
  /** Words in the order in which they were typed and said. */
  readonly typed: string[];
  readonly said: string[];
  readonly done: string[];
  /** Whether answers break off. What is typed below one that did is part of no question yet. */
  readonly breaks: boolean;
  reply: Reply | undefined;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function say(life: Life): void {
  const word = `m${life.said.length + 1}`;
  life.said.push(word);
  life.reply?.say(`${word}${life.random.of([" ", "\n", "\n\n", ""])}`);
  life.done.push(`the model says ${word}`);
}

function end(life: Life): void {
  life.reply?.end();
  life.reply = undefined;
  life.done.push("the answer ends");
}

/** Takes the answer that was asked for. It begins with a word, because an empty one is not complete. */
function take(life: Life): void {
  const next = life.live.model.take();
  if (next === undefined) return;
  life.reply?.end();
  life.reply = next;
  say(life);
}

async function type(life: Life): Promise<void> {
  const { random, typed } = life;
  const word = `P${typed.length + 1}`;
  typed.push(word);
  const before = random.of(["", " ", "<CR>", "<CR><CR>", " ", "<Esc>a", "<Esc>A", "<Esc>o"]);
  const keys = `${before}${word}${random.of([" ", "", "<CR>", "x<BS> ", " y z<C-w><C-w>"])}`;
  life.done.push(keys);
  await life.live.nvim.input(keys);
}

/** As a terminal does for a user who pastes, in Insert or in Normal mode. */
async function paste(life: Life): Promise<void> {
  const { nvim } = life.live;
  const word = `P${life.typed.length + 1}`;
  life.typed.push(word);
  const pasted = life.random.of([`${word} `, `\n${word}\n`, `${word}\n\nfrom elsewhere `]);
  const isNormal = life.random.below(3) === 0;
  life.done.push(`pastes ${JSON.stringify(pasted)}${isNormal ? " in Normal mode" : ""}`);
  if (isNormal) await nvim.input("<Esc>");
  // A long one comes in pieces, all of which may be there before Neovim looks at what has changed.
  const middle = life.random.below(2) * life.random.below(pasted.length);
  await nvim.lua(
    `local first, last = ...
    vim.api.nvim_paste(first, true, last == "" and -1 or 1)
    if last ~= "" then vim.api.nvim_paste(last, true, 3) end`,
    pasted.slice(0, middle || pasted.length),
    middle ? pasted.slice(middle) : "",
  );
  if (isNormal) await nvim.input("a");
}

/** The answer is cut in the middle, by the user or by the network; respond continues it. */
async function breakOff(life: Life): Promise<void> {
  if (life.random.below(2) === 0) {
    life.done.push("stop");
    await life.live.nvim.input("<C-g>x");
  } else {
    life.done.push("the connection is cut");
    life.reply?.drop();
    life.reply = undefined;
  }
}

const windows = ["split", "vsplit", "only", "resize 6"] as const;

async function step(life: Life): Promise<void> {
  const { random, reply } = life;
  take(life);
  const what = random.below(24);
  if (what < 10) await type(life);
  else if (what < 12) await paste(life);
  else if (what < 14) {
    life.done.push("respond");
    await life.live.nvim.input("<C-g><C-g>");
  } else if (what < 15) {
    const command = random.of(windows);
    life.done.push(command);
    await life.live.nvim.input(`<Cmd>silent! ${command}<CR>`);
  } else if (what < 21 && reply) say(life);
  else if (what < 22 && reply && life.breaks) await breakOff(life);
  else if (reply) end(life);
  await pause(random.of([0, 0, 5, 20, 40, 80]));
}

/** Whether Neovim waits for an answer of its own, as to whether a question is asked again; it gets a no. */
async function isAsked({ live: { nvim } }: Life): Promise<boolean> {
  const { blocking } = modeAnswer.parse(await nvim.client.request("nvim_get_mode", []));
  if (blocking) await nvim.input("q<CR>");
  return blocking;
}

async function rest(life: Life): Promise<void> {
  const { nvim } = life.live;
  await pause(100);
  await nvim.until("the last answer", async () => {
    take(life);
    if (life.reply) end(life);
    // While a turn runs, its status names the key that stops it; that of a broken answer stays.
    const status = async () => String(await nvim.lua("return vim.b.parley_status"));
    return !(await isAsked(life)) && !(await status()).includes("<C-g>x");
  });
  await nvim.input("<Esc>");
  // A question waits until Insert mode is left.
  await pause(100);
  await nvim.until("no question", async () => !(await isAsked(life)));
}

/** Where each word is that the text has; a number of its own follows no other digit. */
const placesOf = (words: readonly string[], whole: string) =>
  words.flatMap((word) =>
    [...whole.matchAll(new RegExp(`${word}(?!\\d)`, "g"))].map(({ index }) => ({ word, index })),
  );

function wordFaults({ typed, said, breaks }: Life, whole: string): string[] {
  const faults: string[] = [];
  for (const words of [typed, said]) {
    const places = placesOf(words, whole);
    for (const [index, { word, index: at }] of places.entries()) {
      if (places[index - 1]?.word === word) faults.push(`${word} is there twice`);
      else if (at < (places[index - 1]?.index ?? 0)) faults.push(`${word} is out of order`);
    }
  }
  // What the model said may have been replaced: who asks again with an edited question gets another answer.
  const kept = new Set(placesOf(typed, whole).map(({ word }) => word));
  faults.push(...typed.filter((word) => !kept.has(word)).map((word) => `${word} is lost`));
  const blocks = breaks ? [] : whole.split(/^(?=💬:|🤖:)/mu);
  for (const block of blocks) {
    const foreign = (block.startsWith("🤖") ? /P\d+/ : /m\d+/).exec(block);
    if (foreign) faults.push(`${foreign[0]} is in the wrong block`);
  }
  return faults;
}

async function undoFaults({ live }: Life, whole: string): Promise<string[]> {
  const { nvim } = live;
  const last = await nvim.client.call("changenr");
  await nvim.command("silent undo 0");
  const first = await nvim.text();
  await nvim.command(`silent undo ${String(last)}`);
  return [
    ...(first === text.trimEnd() ? [] : [`undone, there is ${JSON.stringify(first)}`]),
    ...((await nvim.text()) === whole ? [] : ["redone, there is another text"]),
  ];
}

describe.each(neovims)("typing on in Neovim $version", ({ path, version }) => {
  it.each(seedsOfRun(60))("of seed %i", async (seed) => {
    const live = await openLiveChat({ path, chat: { text } });
    const life: Life = {
      ...{ live, random: createRandom(seed), typed: [], said: [], done: [] },
      ...{ breaks: seed % 2 === 0, reply: undefined },
    };
    await live.nvim.input("GA");
    for (let index = 0; index < 30; index += 1) await step(life);
    await rest(life);
    const whole = await live.nvim.text();
    const [, , body = ""] = whole.split(/^---$/m);
    const faults = [...wordFaults(life, body), ...(await undoFaults(life, whole))];
    if (faults.length > 0)
      await keepFailure(`typing ${seed} in ${version}`, [...faults, ...life.done, whole]);
    expect(faults).toEqual([]);
  });
});
