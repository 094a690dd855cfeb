--- Looks at everything that Parley does to a chat while a user works in it, and writes down what must not be:
--- the test reads it by `Watch.report()`.
local M = {}
_G.Watch = M

local host = require("parley.host")
local save = require("parley.text.file.save")
local notify = require("parley.messages.notify")
local rpc = require("parley.rpc")

local function fresh()
  return {
    seq = 0,
    faults = {},
    --- By word, how often the host wrote it.
    written = vim.empty_dict(),
    --- Words that the host wrote into the second chat.
    elsewhere = vim.empty_dict(),
    --- Words that stood in the buffer at some time.
    seen = {},
    events = {},
    notes = {},
    keys = {},
    sent = {},
    --- By buffer, how often a user asked again for an answer: as many openings of a step may take another's place.
    may_replace = {},
  }
end

local now = fresh()
--- What words begin with that others wrote to the file: another program, and the other Neovim.
local others = "^[xnL]"
--- How questions are answered: "random", or "yes" to whatever goes on.
M.answers = "random"
local random = 1

local function chance(count)
  random = (random * 1103515245 + 12345) % 2147483648
  return math.floor(random / 65536) % count
end

local function tick()
  now.seq = now.seq + 1
  return now.seq
end

local function fault(text)
  if #now.faults < 20 then
    now.faults[#now.faults + 1] = ("%d: %s"):format(now.seq, text)
  end
end

--- Words are written `{m1}` by the model, `{P1}` by the user, `{t1}` by tools and `{x1}` by another program; in a
--- second Neovim `{n1}` by the model and `{L1}` by the user.
local function words_in(text)
  local counts = {}
  -- What a branch is named after.
  text = text:gsub("🌿: [^\n]*", "")
  -- The names of the model and of a tool, which a user may have typed into, and what quotes them.
  text = text:gsub("🤖:%[[^%]\n]*%]?", "🤖:"):gsub('"model":"[^"]*"', "")
  text = text:gsub("🛠️: %b[]", "🛠️: "):gsub("`There is no tool [^\n]*", "")
  for word in text:gmatch("{([mnPLtx]%d+)}") do
    counts[word] = (counts[word] or 0) + 1
  end
  return counts
end

local function loaded(buf)
  return type(buf) == "number"
    and vim.api.nvim_buf_is_valid(buf)
    and vim.api.nvim_buf_is_loaded(buf)
end

local function text_of(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
end

local function file_of(buf)
  local file = io.open(vim.api.nvim_buf_get_name(buf), "rb")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  return text
end

local function see(counts)
  for word in pairs(counts) do
    now.seen[word] = true
  end
end

local function judge_words(name, buf, before, after)
  local opens = name == "tip_open" and (now.may_replace[buf] or 0) > 0
  for word, count in pairs(before) do
    if (after[word] or 0) < count and not opens then
      fault(("%s took %s away"):format(name, word))
    end
  end
  for word, count in pairs(after) do
    local more = count - (before[word] or 0)
    if more > 0 then
      now.written[word] = (now.written[word] or 0) + more
      if vim.endswith(vim.api.nvim_buf_get_name(buf), "-other.md") then
        now.elsewhere[word] = true
      end
      if word:find("^[PLx]") then
        fault(("%s doubled %s"):format(name, word))
      end
    end
  end
end

local function judge_save(buf, answer, was_modified, disk, before, after)
  if answer.status == "reloaded" then
    if was_modified then
      fault("a changed buffer was read again")
    end
    see(after)
    return
  end
  judge_words("save", buf, before, after)
  local text = file_of(buf)
  -- Neovim writes nothing at all for a buffer without text.
  local own = text_of(buf)
  if answer.status == "saved" and text ~= own .. "\n" and not (own == "" and text == "") then
    local at = 1
    while own:byte(at) == (text or ""):byte(at) do
      at = at + 1
    end
    local is, should = (text or ""):sub(at, at + 40), own:sub(at, at + 40)
    local flags = was_modified and "modified" or "unmodified"
    fault(("saved (%s), but the file has %q, not %q at %d"):format(flags, is, should, at))
  elseif answer.status ~= "saved" and text ~= disk then
    fault(("save answered %s and changed the file"):format(answer.status))
  end
  for word in pairs(words_in(disk or "")) do
    if word:find(others) and not now.seen[word] and not (text or ""):find(word, 1, true) then
      fault("another program's text was written over")
    end
  end
end

local edits = { apply = true, tip_open = true, tip_write = true, tip_mark = true, tip_close = true }

--- What the last save left in the buffer: an answer that is opened behind one is opened in that.
local left = nil

local save_now = save.save
save.save = function(buf, ...)
  if not loaded(buf) then
    return save_now(buf, ...)
  end
  local before, was_modified, disk = words_in(text_of(buf)), vim.bo[buf].modified, file_of(buf)
  see(before)
  local answer = save_now(buf, ...)
  if loaded(buf) then
    left = words_in(text_of(buf))
    judge_save(buf, answer, was_modified, disk, before, left)
    see(left)
  end
  return answer
end

local call = rpc.call
rpc.call = function(name, buf, ...)
  if not (edits[name] or name == "save") or not loaded(buf) then
    return call(name, buf, ...)
  end
  tick()
  local sent = { seq = now.seq, action = "< " .. name }
  now.sent[#now.sent + 1] = sent
  local before = words_in(text_of(buf))
  see(before)
  left = nil
  local answer = call(name, buf, ...)
  sent.action = sent.action .. " " .. (type(answer) == "table" and answer.status or "")
  if name ~= "save" and loaded(buf) then
    local after = words_in(text_of(buf))
    judge_words(name, buf, left or before, after)
    see(after)
  end
  if name == "tip_open" and answer.status == "opened" then
    now.may_replace[buf] = math.max(0, (now.may_replace[buf] or 0) - 1)
  end
  return answer
end

local send = host.send
host.send = function(message)
  now.sent[#now.sent + 1] = { seq = tick(), action = message.action }
  if message.action == "respond" or message.action == "retry" then
    now.may_replace[message.buf] = (now.may_replace[message.buf] or 0) + 1
  elseif message.action == "key" then
    local row = require("parley.keys.maps").row_of(message.key).decision
    local texts = {}
    for _, shown in ipairs(message.shown) do
      if row.scope == "all" or shown.line == message.line then
        texts[#texts + 1] = shown.text
      end
    end
    now.keys[#now.keys + 1] =
      { seq = tick(), key = message.key, is_yes = row.answer == "yes", texts = texts }
  end
  return send(message)
end

for _, name in ipairs({ "notify", "note" }) do
  local say = notify[name]
  notify[name] = function(text, level)
    now.notes[#now.notes + 1] = { seq = tick(), text = text, level = level or 0 }
    return say(text, level)
  end
end

-- What was read is seen, also when it is deleted before the next call.
vim.api.nvim_create_autocmd("BufReadPost", {
  callback = function(event)
    see(words_in(text_of(event.buf)))
  end,
})

vim.api.nvim_create_autocmd("User", {
  pattern = { "ParleyDone", "ParleyWaiting", "ParleyError", "ParleyStart" },
  callback = function(event)
    now.events[#now.events + 1] =
      { seq = tick(), name = event.match, reason = (event.data or {}).reason or "" }
  end,
})

local wanted = { "Overwrite", "Yes", "Replace" }

local function chosen(items, label)
  if M.answers == "random" then
    return items[chance(#items + 1) + 1]
  end
  for _, word in ipairs(wanted) do
    for _, item in ipairs(items) do
      if label(item):find(word, 1, true) == 1 then
        return item
      end
    end
  end
  return items[1]
end

vim.ui.select = function(items, options, choose)
  local label = options.format_item or tostring
  now.notes[#now.notes + 1] = { seq = tick(), text = "asked: " .. options.prompt, level = 0 }
  local item = chosen(items, label)
  vim.defer_fn(function()
    choose(item)
  end, chance(20))
end

vim.ui.input = function(_, confirm)
  local text = chance(3) > 0 and "" or nil
  vim.defer_fn(function()
    confirm(text)
  end, chance(20))
end

--- Begins a session in the current buffer, in the first Neovim or the one beside it.
function M.begin(seed, is_beside)
  now = fresh()
  see(words_in(text_of(0)))
  others = is_beside and "^[xmP]" or "^[xnL]"
  random = seed
  M.answers = "random"
end

function M.seq()
  return now.seq
end

function M.report()
  local report = vim.deepcopy(now)
  report.seen, report.may_replace = nil, nil
  return report
end
