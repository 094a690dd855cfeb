// The demo without a terminal: the same keys in a headless Neovim.
import { setTimeout as wait } from "node:timers/promises";
import { demoArguments } from "../lib/demo-folder.mjs";
import { openNeovim } from "../lib/editor.mjs";

const patience = 60_000;

/**
 * Presses the keys of the demo in a real Neovim and returns the finished transcript. An error is one sentence, followed
 * by the contents of the buffer.
 */
export async function respondAndApprove(neovim, { chat, env }) {
  const editor = startEditor(neovim, chat, env);
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(editor.waitingFor)), patience);
  });
  try {
    return await Promise.race([pressKeys(editor), editor.ended, timeout]);
  } catch (error) {
    throw new Error(await describeFailure(error, editor));
  } finally {
    clearTimeout(timer);
    await quit(editor);
  }
}

function startEditor(neovim, chat, env) {
  const opened = openNeovim({
    path: neovim.path,
    args: [...demoArguments, "--headless", chat],
    env,
  });
  const editor = { ...opened, lines: [], waitingFor: "" };
  editor.ended = opened.gone.then((end) => {
    throw new Error(
      end instanceof Error
        ? `Neovim did not start: ${end.message}.`
        : `Neovim ended early with code ${end}.`,
    );
  });
  // The driver ends Neovim last, when nothing handles this promise any more.
  editor.ended.catch(() => {});
  return editor;
}

async function pressKeys(editor) {
  await waitForKey(editor, "<C-g><C-g>", "The respond key was never mapped in the sample chat.");
  await editor.client.input("<C-g><C-g>");
  await waitForLines(editor, "The answer did not end with two open calls.", (lines) => {
    return count(lines, /^❓:/u) === 2 && !lines.some(isUnfinished);
  });
  // The approval keys are mapped right after the calls appear, together with the prompt.
  await waitForKey(editor, "ya", "The approval keys were never mapped.");
  await editor.client.input("gg/^❓:<CR>");
  await editor.client.input("ya");
  await waitForLines(editor, "The turn did not end with results and a new question.", (lines) => {
    const results = count(lines, /^🛠\uFE0F?:/u);
    return results === 2 && /^💬:\s*$/u.test(lines.at(-1)) && !lines.some(isUnfinished);
  });
  return `${editor.lines.join("\n")}\n`;
}

async function waitForKey(editor, key, failure) {
  const isMapped = async () => (await editor.client.call("maparg", [key, "n"])) !== "";
  await waitUntil(editor, failure, isMapped);
}

async function waitForLines(editor, failure, isThere) {
  await waitUntil(editor, failure, () => isThere(editor.lines));
}

/** Polls until the driver's overall timeout; `failure` is the message for that case. */
async function waitUntil(editor, failure, isThere) {
  editor.waitingFor = failure;
  do {
    await wait(20);
    editor.lines = await editor.client.request("nvim_buf_get_lines", [0, 0, -1, false]);
  } while (!(await isThere()));
}

/** Waits for Neovim to exit, because it writes into the demo's folder until then. */
async function quit({ process: child, client, gone, hasEnded }) {
  if (hasEnded()) return;
  client.command("qa!").catch(() => {});
  await Promise.race([gone, wait(2_000)]);
  if (hasEnded()) return;
  child.kill("SIGKILL");
  await gone;
}

function isUnfinished(line) {
  return line.startsWith("<!-- parley:unfinished");
}

function count(lines, pattern) {
  return lines.filter((line) => pattern.test(line)).length;
}

async function describeFailure(error, { client, lines, stderr }) {
  // A Neovim that has exited or is blocked does not answer.
  const output = client.request("nvim_exec2", ["messages", { output: true }]);
  const messages = await Promise.race([output, wait(500)]).catch(() => undefined);
  const parts = [
    `The demo failed: ${error.message}`,
    ["The buffer held:", lines.join("\n")],
    ["Neovim's messages:", messages?.output],
    ["Neovim's stderr:", stderr().trim()],
  ];
  return parts
    .filter((part) => typeof part === "string" || part[1])
    .flat()
    .join("\n");
}
