/**
 * Other chat plugins, to be measured in the same run. Their code is not part of the project: `PARLEY_PEERS` names a
 * folder with a checkout of each, named like its repository.
 */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fetchNode } from "../../scripts/lib/nodes.mjs";
import { chatText } from "./chats.mjs";

const lua = (text) => JSON.stringify(text);

/** Returns the chat in gp.nvim's format. */
function gpText(exchanges) {
  const [, body] = chatText(exchanges).split("---\n").slice(1);
  return `# topic: bench\n- file: chat.md\n---\n${body}`;
}

/** Returns the same questions and answers for a plugin that does not use files. */
export function exchangesOf(exchanges) {
  const [, body] = chatText(exchanges).split("---\n").slice(1);
  return body
    .split(/^💬: /mu)
    .slice(1, -1)
    .map((exchange) => {
      const [question = "", answer = ""] = exchange.split(/^🤖:\[bench\]$/mu);
      return { question: question.trim(), answer: answer.trim() };
    });
}

/** Returns them as messages, for a plugin that opens a chat with a history. */
const messagesOf = (exchanges) =>
  exchangesOf(exchanges).flatMap(({ question, answer }) => [
    { role: "user", content: question },
    { role: "llm", content: answer },
  ]);

/** Writes the question below the last line and puts the cursor on it. */
const askBelow = (words) => `local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last - 1, last, false, { ${lua(words)} })
  vim.cmd("normal! G0")`;

/** Whether one of the buffers is magenta's input buffer. */
const hasThread = (buffers) => `vim.iter(${buffers}):any(function(buffer)
  return vim.api.nvim_buf_get_name(buffer):find("Thread [Magenta Input", 1, true) ~= nil
end)`;

/** Parley, measured in the same way. */
export const parley = {
  id: "Parley",
  text: chatText,
  open: () => "",
  ask: (question) => askBelow(`💬: ${question}`),
  follows: true,
  respond: "<C-g><C-g>",
  stop: "<C-g>x",
};

/** One row per plugin, with the plugin's default keys. */
const peers = [
  {
    id: "gp.nvim",
    needs: ["gp.nvim"],
    setup: ({ url }) => `require("gp").setup({
      openai_api_key = "sk-bench",
      providers = { openai = { endpoint = ${lua(`${url}/chat/completions`)}, secret = "sk-bench" } },
      chat_dir = vim.fn.stdpath("data") .. "/parley",
    })`,
    text: gpText,
    /** Runs once after the start. */
    open: () => "",
    isReady: "return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''",
    // The window does not follow the answer, so the question is moved to the top; a longer answer is cut off.
    ask: (question) => `${askBelow(`💬: ${question}`)}
      vim.cmd("normal! zt")`,
    follows: false,
    respond: "<C-g><C-g>",
    stop: "<C-g>s",
  },
  {
    id: "codecompanion.nvim",
    needs: ["plenary.nvim", "codecompanion.nvim"],
    setup: ({ url }) => `require("codecompanion").setup({
      adapters = { http = { bench = function()
        return require("codecompanion.adapters").extend("openai_compatible", {
          env = { url = ${lua(url.replace(/\/v1$/, ""))}, api_key = "sk-bench", chat_url = "/v1/chat/completions" },
          schema = { model = { default = "gpt-5", choices = { "gpt-5" } } },
        })
      end } },
      interactions = { chat = { adapter = "bench" } },
      display = { chat = { window = { layout = "buffer" } } },
    })`,
    text: () => "",
    open: (exchanges) => `require("codecompanion").chat({
      messages = vim.json.decode(${lua(JSON.stringify(messagesOf(exchanges)))}),
      auto_submit = false,
    })`,
    isReady: "return vim.bo.filetype == 'codecompanion'",
    ask: askBelow,
    follows: true,
    respond: "<CR>",
    stop: "q",
  },
  {
    id: "magenta.nvim",
    needs: ["magenta.nvim"],
    built: "dist/magenta.mjs",
    node: "24",
    wire: "anthropic",
    // In a tab page, so that as much of the answer is visible as with the others.
    setup: ({ url }) => `require("magenta").setup({
      profiles = { {
        name = "bench",
        provider = "anthropic",
        model = "claude-sonnet-5",
        baseUrl = ${lua(url.replace(/\/v1$/, ""))},
        apiKeyEnvVar = "OPENAI_API_KEY",
      } },
      sidebarPosition = "tab",
    })`,
    text: () => "",
    // A thread is shown a moment after its buffers exist.
    open: () => `vim.wait(20000, function() return ${hasThread("vim.api.nvim_list_bufs()")} end)
      vim.wait(500)
      vim.cmd("Magenta toggle")`,
    isReady: `return vim.wo.winfixbuf and ${hasThread("{ 0 }")}`,
    /** Threads end with Neovim, so the history is created by asking, and no send is a session's first. */
    asksForHistory: true,
    ask: askBelow,
    // Its window shows the question at the top and does not follow the answer either.
    follows: false,
    respond: "<CR>",
    stop: "\\ma",
  },
];

/** Returns the plugins whose code is available, and the names of the others. */
export function peersIn(folder) {
  const isThere = ({ id, needs, built = "lua" }) =>
    [...needs.map((name) => join(name, "lua")), join(id, built)].every((path) =>
      existsSync(join(folder, path)),
    );
  return {
    there: peers.filter(isThere),
    missing: peers.filter((peer) => !isThere(peer)).map(({ id }) => id),
  };
}

/** Returns the environment for its Neovim: some plugins need a different Node. */
export async function environmentOf({ node }) {
  if (node === undefined) return {};
  return { PATH: `${dirname(await fetchNode(node))}${delimiter}${process.env.PATH}` };
}

/** Returns the Lua to load before the chat. */
export function initOfPeer(peer, folder, server) {
  const paths = peer.needs.map((name) => `vim.opt.runtimepath:prepend(${lua(join(folder, name))})`);
  return `${paths.join("\n")}
vim.cmd("runtime! plugin/*.lua plugin/*.vim")
-- A message of several lines would wait for a key.
vim.notify = function() end
${peer.setup(server)}`;
}
