// Plays a first chat after an install: a new chat, a question, the offline model's answer and its tools.
import { setTimeout as wait } from "node:timers/promises";
import { openNeovim } from "./editor.mjs";

/**
 * Starts the Neovim at `path` with `args` and presses the keys of a first chat. Returns the milliseconds from
 * `:Parley new` to the first words, the transcript, Neovim's messages, and how often it asked for Enter. Throws, with
 * the contents of the buffer, when a step does not come within `patienceMs`.
 */
export async function firstChat({ path, args, env, cwd, patienceMs = 60_000 }) {
  const opened = openNeovim({ path, args: ["-n", "-i", "NONE", ...args], env, cwd });
  const chat = { ...opened, patienceMs, enters: 0 };
  try {
    await chat.client.request("nvim_ui_attach", [80, 24, { ext_linegrid: true }]);
    await until(chat, ":Parley exists", async () => {
      return (await ask(chat, "nvim_call_function", ["exists", [":Parley"]])) === 2;
    });
    return await pressKeys(chat);
  } finally {
    opened.process.kill("SIGKILL");
    await opened.gone;
  }
}

async function pressKeys(chat) {
  const begun = performance.now();
  await ask(chat, "nvim_command", ["Parley new"]);
  await chat.client.input("the stock price of google and microsoft?<C-g><C-g>");
  await until(chat, "the first words", (lines) => /\p{L}/u.test(answer(lines)));
  const firstWordsMs = performance.now() - begun;
  await until(chat, "two calls that wait", async (lines) => {
    const keys = await ask(chat, "nvim_call_function", ["maparg", ["ya", "n"]]);
    return count(lines, /^❓:/u) === 2 && keys !== "" && !lines.some(isUnfinished);
  });
  await chat.client.input("<Esc>gg/^❓:<CR>ya");
  const lines = await until(chat, "results and a new question", (all) => {
    const isDone = count(all, /^🛠\uFE0F?:/u) === 2 && /^💬:\s*$/u.test(all.at(-1));
    return isDone && !all.some(isUnfinished);
  });
  return { firstWordsMs, lines, messages: await messages(chat), enters: chat.enters };
}

async function until(chat, what, isThere) {
  const end = performance.now() + chat.patienceMs;
  for (;;) {
    if (chat.hasEnded()) throw new Error(`Neovim ended before ${what}.\n${chat.stderr()}`);
    const lines = await ask(chat, "nvim_buf_get_lines", [0, 0, -1, false]);
    if (await isThere(lines)) return lines;
    if (performance.now() > end) {
      const seen = [lines.join("\n"), await messages(chat), chat.stderr()].join("\n");
      throw new Error(`This never came: ${what}.\n${seen}`);
    }
    await wait(5);
  }
}

/** Sends a request. Neovim does not answer during a hit-enter prompt; then this presses Enter and counts it. */
async function ask(chat, method, args) {
  const answered = chat.client.request(method, args);
  for (;;) {
    const ended = chat.gone.then(() =>
      Promise.reject(new Error(`Neovim ended.\n${chat.stderr()}`)),
    );
    const isThere = await Promise.race([answered.then(() => true), wait(500, false), ended]);
    if (isThere) return answered;
    const { mode } = await chat.client.request("nvim_get_mode", []);
    if (!/^r/.test(mode)) continue;
    chat.enters += 1;
    await chat.client.input("<CR>");
  }
}

async function messages(chat) {
  return (await ask(chat, "nvim_exec2", ["messages", { output: true }])).output;
}

/** Returns the text after the last answer's label. */
function answer(lines) {
  const start = lines.findLastIndex((line) => line.startsWith("🤖:"));
  return start < 0 ? "" : lines.slice(start + 1).join("\n");
}

function isUnfinished(line) {
  return line.startsWith("<!-- parley:unfinished");
}

function count(lines, pattern) {
  return lines.filter((line) => pattern.test(line)).length;
}
