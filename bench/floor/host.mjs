/**
 * The least that a host can do: it reads and posts the whole buffer, and appends the answer with one
 * `nvim_buf_set_text` per 16 ms, the next only after Neovim has replied.
 */
import { request } from "node:http";
import { attach } from "neovim";

const logger = { level: "error", info() {}, warn() {}, error() {}, debug() {} };
const nvim = attach({ reader: process.stdin, writer: process.stdout, options: { logger } });
const frameMs = 16;
let sending = null;

// The window follows the answer; otherwise nothing of it would be drawn.
const writeAndFollow = `local buf, lines = ...
vim.api.nvim_buf_set_text(buf, -1, -1, -1, -1, lines)
vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buf), 0 })`;

function messagesOf(lines) {
  const messages = [];
  for (const line of lines) {
    if (line.startsWith("💬:")) messages.push({ role: "user", content: line.slice(4) });
    else if (line.startsWith("🤖:")) messages.push({ role: "assistant", content: "" });
    else if (messages.length > 0) messages.at(-1).content += `\n${line}`;
  }
  return messages;
}

async function respond(buffer) {
  const lines = await nvim.request("nvim_buf_get_lines", [buffer, 0, -1, false]);
  const body = JSON.stringify({ model: "floor", stream: true, messages: messagesOf(lines) });
  const url = `${process.env.OPENAI_BASE_URL}/chat/completions`;
  const headers = { "content-type": "application/json" };
  sending = request(url, { method: "POST", headers }, (response) => {
    stream(buffer, response);
  });
  sending.on("error", () => {});
  sending.end(body);
}

function stream(buffer, response) {
  let rest = "";
  let text = "\n";
  let isWriting = false;
  let next = 0;
  const write = async () => {
    if (isWriting || text === "") return;
    const wait = next - performance.now();
    isWriting = true;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    next = performance.now() + frameMs;
    const lines = text.split("\n");
    text = "";
    await nvim.request("nvim_exec_lua", [writeAndFollow, [buffer, lines]]);
    isWriting = false;
    void write();
  };
  response.setEncoding("utf8");
  response.on("error", () => {});
  response.on("data", (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      text += JSON.parse(line.slice(6)).choices[0].delta.content ?? "";
    }
    void write();
  });
}

nvim.on("notification", (method, [action, buffer]) => {
  if (method !== "floor") return;
  if (action === "start") void nvim.request("nvim_set_var", ["floor_ready", true]);
  else if (action === "respond") void respond(buffer);
  else sending?.destroy();
});
process.stdin.on("end", () => process.exit(0));
