// Generates lua/parley/config/key_table.lua from the table of keys, because Lua maps keys before the host runs.

import { luaValue } from "./lua-writer.mjs";

/** Returns the Lua file for the current `src/conversation/keys.ts`. */
export function keyTable({ keyRows, keyPresets }) {
  const rows = keyRows.map(({ name, key, modes, where, words, decision }) => ({
    name,
    key,
    modes,
    where,

    words,
    decision: decision && {
      record: decision.record,
      answer: decision.answer,
      scope: decision.scope,
      asks_reason: decision.asksReason,
    },
  }));
  return `${head}M.rows = ${luaValue(rows)}

--- By name: keys by their names, as the option \`keys\` has them.
---@type table<string, table<string, string|string[]|false>>
M.presets = ${luaValue(keyPresets)}

return M
`;
}

const head = `--- Written by \`npm run docs\` from src/conversation/keys.ts: the keys of a chat.
local M = {}

---@class parley.KeyDecision
---@field record string the record that it writes into the call's line
---@field answer "yes"|"no"
---@field scope "all"|"one"
---@field asks_reason boolean

---@class parley.KeyRow
---@field name string in the option \`keys\`
---@field key? string the default key
---@field modes string[]
---@field where "chat"|"call" anywhere in a chat, or only on an open call
---@field words string its description
---@field decision? parley.KeyDecision

--- In the order of the help.
---@type parley.KeyRow[]
`;
