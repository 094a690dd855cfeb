/**
 * Other plugins that talk with models, so that both are measured in one run. Their code is not part of the project:
 * `PARLEY_PEERS` names a folder with a checkout of each, named as its repository is.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chatText } from "./chats.mjs";

const lua = (text) => JSON.stringify(text);

/** The chat in the form of its ancestor: a topic, a file, and the same marks. */
function gpText(exchanges) {
  const [, body] = chatText(exchanges).split("---\n").slice(1);
  return `# topic: bench\n- file: chat.md\n---\n${body}`;
}

/** Questions and answers of the same texts, as a plugin takes them that keeps no file. */
function messagesOf(exchanges) {
  const [, body] = chatText(exchanges).split("---\n").slice(1);
  return body
    .split(/^💬: /mu)
    .slice(1, -1)
    .flatMap((exchange) => {
      const [question = "", answer = ""] = exchange.split(/^🤖:\[bench\]$/mu);
      return [
        { role: "user", content: question.trim() },
        { role: "llm", content: answer.trim() },
      ];
    });
}

/** The question below the last line, with the cursor on it. */
const askBelow = (words) => `local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last - 1, last, false, { ${lua(words)} })
  vim.cmd("normal! G0")`;

/** Is measured in the same way. */
export const parley = {
  id: "Parley",
  text: chatText,
  open: () => "",
  ask: askBelow("💬: and what of this?"),
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
    ask: `${askBelow("💬: and what of this?")}
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
    ask: askBelow("and what of this?"),
    follows: true,
    respond: "<CR>",
    stop: "q",
  },
];

/** Those whose code is there, and the names of the others. */
export function peersIn(folder) {
  const isThere = ({ needs }) => needs.every((name) => existsSync(join(folder, name, "lua")));
  return {
    there: peers.filter(isThere),
    missing: peers.filter((peer) => !isThere(peer)).map(({ id }) => id),
  };
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
