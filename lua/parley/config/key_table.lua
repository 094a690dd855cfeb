--- Written by `npm run docs` from src/conversation/keys.ts: the keys of a chat.
local M = {}

---@class parley.KeyDecision
---@field record string the record that it writes into the call's line
---@field answer "yes"|"no"
---@field scope "all"|"one"
---@field asks_reason boolean

---@class parley.KeyRow
---@field name string in the option `keys`
---@field key? string the default key
---@field modes string[]
---@field where "chat"|"call" anywhere in a chat, or only on an open call
---@field words string its description
---@field decision? parley.KeyDecision

--- In the order of the help.
---@type parley.KeyRow[]
M.rows = {
  {
    name = "respond",
    key = "<C-g><C-g>",
    modes = { "n", "i" },
    where = "chat",
    words = "answer the question at the cursor",
  },
  {
    name = "stop",
    key = "<C-g>x",
    modes = { "n", "i" },
    where = "chat",
    words = "stop what runs in this chat",
  },
  {
    name = "retry",
    modes = { "n" },
    where = "chat",
    words = "run the last step again",
  },
  {
    name = "new",
    modes = { "n" },
    where = "chat",
    words = "a new chat",
  },
  {
    name = "chats",
    modes = { "n" },
    where = "chat",
    words = "list all chats",
  },
  {
    name = "toggle",
    modes = { "n", "x" },
    where = "chat",
    words = "show the last chat, or hide it",
  },
  {
    name = "next",
    modes = { "n" },
    where = "chat",
    words = "go to the next waiting call",
  },
  {
    name = "rename",
    modes = { "n" },
    where = "chat",
    words = "rename this chat",
  },
  {
    name = "move",
    modes = { "n" },
    where = "chat",
    words = "move this chat to another folder",
  },
  {
    name = "tags",
    modes = { "n" },
    where = "chat",
    words = "edit the tags of this chat",
  },
  {
    name = "delete",
    modes = { "n" },
    where = "chat",
    words = "move this chat to the trash",
  },
  {
    name = "model",
    modes = { "n" },
    where = "chat",
    words = "choose the model of this chat",
  },
  {
    name = "agent",
    modes = { "n" },
    where = "chat",
    words = "choose the agent of this chat",
  },
  {
    name = "system_prompt",
    modes = { "n" },
    where = "chat",
    words = "choose the system prompt of this chat",
  },
  {
    name = "web_search",
    modes = { "n" },
    where = "chat",
    words = "toggle the vendor's web search",
  },
  {
    name = "follow",
    modes = { "n" },
    where = "chat",
    words = "toggle following answers",
  },
  {
    name = "respond_all",
    modes = { "n" },
    where = "chat",
    words = "answer all questions again from here",
  },
  {
    name = "apply",
    modes = { "n" },
    where = "chat",
    words = "write the code block at the cursor into its file",
  },
  {
    name = "copy",
    modes = { "n" },
    where = "chat",
    words = "copy the code block at the cursor",
  },
  {
    name = "quote",
    modes = { "n", "x" },
    where = "chat",
    words = "ask about these lines",
  },
  {
    name = "define",
    modes = { "n", "x" },
    where = "chat",
    words = "ask what these lines mean",
  },
  {
    name = "branch",
    modes = { "n" },
    where = "chat",
    words = "continue from here in a new chat",
  },
  {
    name = "tree",
    modes = { "n" },
    where = "chat",
    words = "list the chats linked with this one",
  },
  {
    name = "export",
    modes = { "n" },
    where = "chat",
    words = "export this chat as HTML",
  },
  {
    name = "follow_link",
    key = "gf",
    modes = { "n" },
    where = "chat",
    words = "open the chat that a 🌿 line names",
  },
  {
    name = "outline",
    key = "gO",
    modes = { "n" },
    where = "chat",
    words = "list the questions of this chat",
  },
  {
    name = "next_turn",
    key = "]]",
    modes = { "n", "x", "o" },
    where = "chat",
    words = "the next question or answer",
  },
  {
    name = "previous_turn",
    key = "[[",
    modes = { "n", "x", "o" },
    where = "chat",
    words = "the previous question or answer",
  },
  {
    name = "next_call",
    key = "]w",
    modes = { "n", "x", "o" },
    where = "chat",
    words = "the next waiting call of this chat",
  },
  {
    name = "previous_call",
    key = "[w",
    modes = { "n", "x", "o" },
    where = "chat",
    words = "the previous waiting call of this chat",
  },
  {
    name = "around_exchange",
    key = "ax",
    modes = { "x", "o" },
    where = "chat",
    words = "a question with its answer",
  },
  {
    name = "inner_exchange",
    key = "ix",
    modes = { "x", "o" },
    where = "chat",
    words = "the same without trailing blank lines",
  },
  {
    name = "around_answer",
    key = "ar",
    modes = { "x", "o" },
    where = "chat",
    words = "an answer with its 🤖 line",
  },
  {
    name = "inner_answer",
    key = "ir",
    modes = { "x", "o" },
    where = "chat",
    words = "the text of an answer",
  },
  {
    name = "around_code",
    key = "ac",
    modes = { "x", "o" },
    where = "chat",
    words = "a code block with its fences",
  },
  {
    name = "inner_code",
    key = "ic",
    modes = { "x", "o" },
    where = "chat",
    words = "the lines of a code block",
  },
  {
    name = "help",
    key = "<C-g>?",
    modes = { "n", "i" },
    where = "chat",
    words = "list the keys of this chat",
  },
  {
    name = "approve_all",
    key = "ya",
    modes = { "n" },
    where = "call",
    words = "approve all open calls, this time",
    decision = {
      record = "ya",
      answer = "yes",
      scope = "all",
      asks_reason = false,
    },
  },
  {
    name = "approve_always",
    key = "yA",
    modes = { "n" },
    where = "call",
    words = "approve all open calls, and remember their tools",
    decision = {
      record = "yA",
      answer = "yes",
      scope = "all",
      asks_reason = false,
    },
  },
  {
    name = "approve_one",
    key = "yo",
    modes = { "n" },
    where = "call",
    words = "approve this call, this time",
    decision = {
      record = "yo",
      answer = "yes",
      scope = "one",
      asks_reason = false,
    },
  },
  {
    name = "approve_always_one",
    key = "yO",
    modes = { "n" },
    where = "call",
    words = "approve this call, and remember its tool",
    decision = {
      record = "yO",
      answer = "yes",
      scope = "one",
      asks_reason = false,
    },
  },
  {
    name = "deny_one",
    key = "yn",
    modes = { "n" },
    where = "call",
    words = "decline this call",
    decision = {
      record = "yn",
      answer = "no",
      scope = "one",
      asks_reason = true,
    },
  },
  {
    name = "deny_all",
    key = "yN",
    modes = { "n" },
    where = "call",
    words = "decline all open calls",
    decision = {
      record = "yN",
      answer = "no",
      scope = "all",
      asks_reason = true,
    },
  },
  {
    name = "details",
    key = "K",
    modes = { "n" },
    where = "call",
    words = "show everything about this call",
  },
}

--- By name: keys by their names, as the option `keys` has them.
---@type table<string, table<string, string|string[]|false>>
M.presets = {
  one = {
    approve_one = { "ya", "yo" },
    approve_always = { "yA", "yO" },
    approve_all = false,
    approve_always_one = false,
  },
  ["parley.nvim"] = {
    respond = { "<C-g><C-g>", "<M-CR>" },
    respond_all = "<C-g>G",
    new = "<C-g>c",
    chats = "<C-g>f",
    delete = "<C-g>d",
    agent = "<C-g>a",
    system_prompt = "<C-g>P",
    web_search = "<C-g>w",
    follow = "<C-g>l",
    branch = { "<C-g>b", "<C-g>i" },
    tree = "<C-g>T",
    outline = { "gO", "<C-g>t", "<M-t>" },
    follow_link = { "gf", "<C-g>o" },
    quote = { "<C-g>q", "<M-q>" },
    define = "<C-g>D",
    export = "<C-g>e",
    copy = "<Leader>cf",
  },
}

return M
