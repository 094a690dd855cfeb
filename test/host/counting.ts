/** Counts what Parley asks of Neovim, by the functions it calls: counts hold on any machine, times do not. */
import { z } from "zod";
import type { RawTurn } from "../support/model-server.ts";
import type { TestNeovim } from "../support/neovim.ts";

/** Lua to run before the plugin is loaded. */
export const countFromStart = `COUNT = {}
function RESET()
  COUNT = { lines = 0, largest = 0, marks = 0, diagnostics = 0, folds = 0, parses = 0, redraws = 0,
    calls = vim.empty_dict(), asked = vim.empty_dict() }
end
RESET()
local get_lines = vim.api.nvim_buf_get_lines
vim.api.nvim_buf_get_lines = function(...)
  local lines = get_lines(...)
  COUNT.lines = COUNT.lines + #lines
  COUNT.largest = math.max(COUNT.largest, #lines)
  return lines
end
local set_extmark = vim.api.nvim_buf_set_extmark
vim.api.nvim_buf_set_extmark = function(buf, namespace, row, column, options)
  if not options.ephemeral then COUNT.marks = COUNT.marks + 1 end
  return set_extmark(buf, namespace, row, column, options)
end
for _, name in ipairs({ "nvim_win_set_cursor", "nvim_get_autocmds", "nvim_buf_set_text" }) do
  local ask = vim.api[name]
  vim.api[name] = function(...)
    COUNT.asked[name] = (COUNT.asked[name] or 0) + 1
    return ask(...)
  end
end
local screenpos = vim.fn.screenpos
vim.fn.screenpos = function(...)
  COUNT.asked.screenpos = (COUNT.asked.screenpos or 0) + 1
  return screenpos(...)
end
vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace("count"), {
  on_start = function() COUNT.redraws = COUNT.redraws + 1 end,
})
local set_diagnostics = vim.diagnostic.set
vim.diagnostic.set = function(...)
  COUNT.diagnostics = COUNT.diagnostics + 1
  return set_diagnostics(...)
end
local trees = require("vim.treesitter.languagetree")
local parse = trees._parse
if parse then
  trees._parse = function(...)
    COUNT.parses = COUNT.parses + 1
    return parse(...)
  end
end
function FOLD() COUNT.folds = COUNT.folds + 1 return 0 end
function COUNT_CALLS()
  local rpc = require("parley.rpc")
  local call = rpc.call
  rpc.call = function(name, ...)
    COUNT.calls[name] = (COUNT.calls[name] or 0) + 1
    BEFORE_SHOW = BEFORE_SHOW or (name == "show" and vim.deepcopy(COUNT)) or nil
    local answer = call(name, ...)
    if type(answer) == "table" and answer.status == "stale" then
      COUNT.calls.stale = (COUNT.calls.stale or 0) + 1
    end
    return answer
  end
end`;

const counts = z.object({
  /** Lines read, and the most in one piece. */
  lines: z.number(),
  largest: z.number(),
  /** Extmarks that stay. */
  marks: z.number(),
  diagnostics: z.number(),
  folds: z.number(),
  /** Parses by tree-sitter that were begun. */
  parses: z.number(),
  /** How often the screen was drawn. */
  redraws: z.number(),
  /** What the host called, by name. */
  calls: z.record(z.string(), z.number()),
  /** What Neovim was asked for, of the functions that cost more than a look at a number. */
  asked: z.record(z.string(), z.number()),
});
export type Counts = z.infer<typeof counts>;

/** The counts so far, or those kept under another name. */
export async function readCounts(nvim: TestNeovim, name = "COUNT"): Promise<Counts> {
  return counts.parse(await nvim.lua(`return ${name}`));
}

const sentence = "- **What** was said before depends on what was asked before, and on little else.";

/** A chat of so many finished exchanges, about twenty lines each, with a question at its end. */
export function longChat(exchanges: number, question = "and now?"): string {
  const lines = ["---", "topic: long", "model: openai/gpt-5", "---", ""];
  const body = Array.from({ length: 14 }, () => sentence);
  for (let index = 0; index < exchanges; index += 1) {
    lines.push(`💬: question ${index}?`, "", "🤖:[long]", "", ...body, "");
  }
  return [...lines, `💬: ${question}`, ""].join("\n");
}

function event(delta: object, finish: string | null): string {
  const choice = { index: 0, delta, finish_reason: finish };
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [choice] })}\n\n`;
}

/** An answer of so many deltas, each written as a piece of its own. */
export function answerOf(deltas: number, pauseMs: number): RawTurn {
  const word = (index: number) => (index % 10 === 9 ? `word${index}\n` : `word${index} `);
  const words = Array.from({ length: deltas }, (_, index) => event({ content: word(index) }, null));
  return { raw: [...words, event({}, "stop"), "data: [DONE]\n\n"], pauseMs };
}
