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

/** Returns the chat in the Lua Parley's format, which names the file in its header. */
function luaParleyText(exchanges) {
  const [, body] = chatText(exchanges).split("---\n").slice(1);
  return `---\ntopic: bench\nfile: ${luaParleyFile}\n---\n${body.replaceAll("🤖:[bench]", "🤖: [Bench]")}`;
}
const luaParleyFile = "2026-01-01.12-00-00.000.md";

/** Returns the chat in Flemma's format. */
function flemmaText(exchanges) {
  const said = exchangesOf(exchanges).map(
    ({ question, answer }) => `@You:\n${question}\n\n@Assistant:\n${answer}\n\n`,
  );
  return `${said.join("")}@You:\nand now?\n`;
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

/** The same at the top of a window that did not follow its answer here; a longer one is cut off. */
const askAtTop = (words) => `${askBelow(words)}
  vim.cmd("normal! zt")`;

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
    ask: (question) => askAtTop(`💬: ${question}`),
    follows: false,
    respond: "<C-g><C-g>",
    stop: "<C-g>s",
  },
  {
    id: "the Lua Parley",
    needs: ["parley.nvim"],
    // A generated file of another repository of its author's, which is not needed for chats.
    setup: ({ url }) => `local vocabulary = require("parley.issue_vocabulary")
    local none = vocabulary.from_table({ categories = { open = {}, active = {}, terminal = {} }, lifecycle = {} })
    vocabulary.default = function() return none end
    require("parley").setup({
      api_keys = { openai = "sk-bench" },
      providers = { openai = { endpoint = ${lua(`${url}/chat/completions`)} } },
      agents = { { provider = "openai", name = "Bench", model = { model = "gpt-5" }, system_prompt = "Be short." } },
      chat_dir = vim.fn.stdpath("data") .. "/parley",
    })`,
    file: luaParleyFile,
    text: luaParleyText,
    open: () => "",
    isReady: "return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''",
    ask: (question) => askAtTop(`💬: ${question}`),
    follows: false,
    respond: "<C-g><C-g>",
    stop: "<C-g>x",
  },
  {
    id: "flemma.nvim",
    needs: ["flemma.nvim"],
    // Its addresses cannot be set, so the provider of the same wire gets another one.
    setup: ({ url }) => `local moonshot = require("flemma.provider.adapters.moonshot")
    local new = moonshot.new
    moonshot.new = function(...)
      local provider = new(...)
      provider.endpoint = ${lua(`${url}/chat/completions`)}
      return provider
    end
    require("flemma").setup({ provider = "moonshot", model = "kimi-k2.6" })`,
    environment: { MOONSHOT_API_KEY: "sk-bench" },
    file: "bench.chat",
    text: flemmaText,
    open: () => "",
    isReady: "return vim.bo.filetype == 'chat' and vim.fn.maparg('<C-]>', 'n') ~= ''",
    ask: askBelow,
    follows: true,
    respond: "<C-]>",
    stop: "<C-c>",
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
    id: "CopilotChat.nvim",
    needs: ["plenary.nvim", "CopilotChat.nvim"],
    setup: ({ url }) => `local copilot = require("CopilotChat.config.providers").copilot
    require("CopilotChat").setup({
      model = "gpt-5",
      providers = { bench = {
        prepare_input = copilot.prepare_input,
        prepare_output = copilot.prepare_output,
        get_headers = function() return { ["Authorization"] = "Bearer sk-bench" } end,
        get_models = function() return { { id = "gpt-5", name = "gpt-5", streaming = true } } end,
        get_url = function() return ${lua(`${url}/chat/completions`)} end,
      }, copilot = { disabled = true }, github_models = { disabled = true } },
      window = { layout = "replace" },
    })`,
    file: "history.json",
    text: (exchanges) =>
      JSON.stringify(
        messagesOf(exchanges).map(({ role, content }) => ({
          role: role === "llm" ? "assistant" : role,
          content,
        })),
      ),
    open: () => `require("CopilotChat").open()
    require("CopilotChat").load("history", vim.fn.stdpath("data") .. "/parley")`,
    isReady: "return vim.bo.filetype == 'copilot-chat' and vim.fn.maparg('<CR>', 'n') ~= ''",
    ask: askBelow,
    follows: true,
    respond: "<CR>",
    stop: ":CopilotChatStop<CR>",
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
  const isThere = ({ needs, built = "lua" }) =>
    [...needs.map((name) => join(name, "lua")), join(needs.at(-1), built)].every((path) =>
      existsSync(join(folder, path)),
    );
  return {
    there: peers.filter(isThere),
    missing: peers.filter((peer) => !isThere(peer)).map(({ id }) => id),
  };
}

/** Returns the environment for its Neovim: a key, or a different Node. */
export async function environmentOf({ node, environment = {} }) {
  if (node === undefined) return environment;
  const path = `${dirname(await fetchNode(node))}${delimiter}${process.env.PATH}`;
  return { ...environment, PATH: path };
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
