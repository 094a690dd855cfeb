/**
 * Other plugins that talk with models, so that both are measured in one run. Their code is not part of the project:
 * `PARLEY_PEERS` names a folder with a checkout of each, named as its repository is.
 */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fetchNode } from "../../scripts/lib/nodes.mjs";
import { chatText } from "./chats.mjs";

const lua = (text) => JSON.stringify(text);

/** The chat in the form of its ancestor: a topic, a file, and the same marks. */
function gpText(exchanges) {
  const [, body] = chatText(exchanges).split("---\n").slice(1);
  return `# topic: bench\n- file: chat.md\n---\n${body}`;
}

/** Questions and answers of the same texts, for a plugin that keeps no file. */
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

/** As a plugin takes them that opens a chat with them. */
const messagesOf = (exchanges) =>
  exchangesOf(exchanges).flatMap(({ question, answer }) => [
    { role: "user", content: question },
    { role: "llm", content: answer },
  ]);

/** The question below the last line, with the cursor on it. */
const askBelow = (words) => `local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last - 1, last, false, { ${lua(words)} })
  vim.cmd("normal! G0")`;

/** Whether one of the buffers takes magenta's questions. */
const hasThread = (buffers) => `vim.iter(${buffers}):any(function(buffer)
  return vim.api.nvim_buf_get_name(buffer):find("Thread [Magenta Input", 1, true) ~= nil
end)`;

/** Is measured in the same way. */
export const parley = {
  id: "Parley",
  text: chatText,
  open: () => "",
  ask: (question) => askBelow(`💬: ${question}`),
  follows: true,
  respond: "<C-g><C-g>",
  stop: "<C-g>x",
};

/** One row for each; keys are those that the plugin sets itself. */
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
    /** Run once behind the start. */
    open: () => "",
    isReady: "return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''",
    // The window does not go along with its answer, so the question goes to the top; what is longer is not seen.
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
    // A tab, so that as much of an answer is seen as with the others.
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
    // A thread becomes the one that is shown a moment after its buffers are there.
    open: () => `vim.wait(20000, function() return ${hasThread("vim.api.nvim_list_bufs()")} end)
      vim.wait(500)
      vim.cmd("Magenta toggle")`,
    isReady: `return vim.wo.winfixbuf and ${hasThread("{ 0 }")}`,
    /** Threads end with Neovim, so the exchanges are asked for one by one, and no send is a session's first. */
    asksForHistory: true,
    ask: askBelow,
    // Its window shows the question on top, and does not go along either.
    follows: false,
    respond: "<CR>",
    stop: "\\ma",
  },
];

/** Those whose code is there, and the names of the others. */
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

/** What its Neovim runs in: some want another Node than Parley's. */
export async function environmentOf({ node }) {
  if (node === undefined) return {};
  return { PATH: `${dirname(await fetchNode(node))}${delimiter}${process.env.PATH}` };
}

/** What is loaded in front of the chat. */
export function initOfPeer(peer, folder, server) {
  const paths = peer.needs.map((name) => `vim.opt.runtimepath:prepend(${lua(join(folder, name))})`);
  return `${paths.join("\n")}
vim.cmd("runtime! plugin/*.lua plugin/*.vim")
-- A message of several lines would wait for a key.
vim.notify = function() end
${peer.setup(server)}`;
}
