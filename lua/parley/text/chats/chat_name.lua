--- The file name of a new chat: the day and the first words of its question. It is given once: when the chat is written
--- and its question has some words, else when it is sent. What writes while somebody types gives no name.
local markers = require("parley.text.markers")
local system = require("parley.system")

local M = {}

local group = vim.api.nvim_create_augroup("parley.chat_name", {})

--- Words and characters of a name: more is read by nobody in a list of files.
local most_words, longest = 8, 48

--- Bytes of a question that are looked at for it: a log that was pasted has millions.
local most_bytes = 4096

--- A name of less says little: a write waits for more words, an answer does not.
local least_words, shortest = 3, 12

--- What `charclass` says of blanks, punctuation and emoji.
local parts_words = { [0] = true, [1] = true, [3] = true }

--- Letters and digits of any script; what nobody sees is none.
local function belongs_to_word(character)
  if #character == 1 then
    return character:find("%w") ~= nil
  end
  return not parts_words[vim.fn.charclass(character)] and vim.fn.strtrans(character) == character
end

--- The first words of a text as a part of a file name, such as `stock-prices`; empty when it has none.
---@param text string
---@return string
function M.slug(text)
  -- Vim's functions take no text with a NUL in it; then references, and the address of an image.
  text = text
    :sub(1, most_bytes)
    :gsub("%z", " ")
    :gsub("@@[^@\n]+@@", " ")
    :gsub("(!%[[^%[%]\n]*%])%([^()\n]*%)", "%1")
  -- What belongs to a word in English and to no name.
  text = text:gsub("'", ""):gsub("’", "")
  local words, word, length = {}, "", 0
  for _, character in ipairs(vim.fn.split(vim.fn.tolower(text) .. " ", "\\zs")) do
    if belongs_to_word(character) then
      word = word .. character
    elseif word ~= "" then
      length = length + vim.fn.strchars(word) + 1
      if #words > 0 and length > longest then
        break
      end
      words[#words + 1] = vim.fn.strcharpart(word, 0, longest)
      word = ""
      if #words == most_words then
        break
      end
    end
  end
  return table.concat(words, "-")
end

--- The text of the first question.
local function first_question(buf)
  local found
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local name, behind = markers.read(line)
    if found and markers.begins_turn(line) then
      break
    elseif name == "question" then
      found = { line:sub(behind) }
    elseif found then
      found[#found + 1] = line
    end
  end
  return table.concat(found or {}, "\n")
end

local function is_taken(path)
  return vim.uv.fs_lstat(path) ~= nil
    or vim.uv.fs_lstat(path .. ".files") ~= nil
    or vim.fn.bufexists(path) == 1
end

local function free_path(folder, name)
  local path, number = vim.fs.joinpath(folder, name .. ".md"), 1
  while is_taken(path) do
    number = number + 1
    path = vim.fs.joinpath(folder, ("%s-%d.md"):format(name, number))
  end
  return path
end

--- Whether the words tell what the chat is about.
local function says_enough(words)
  return #vim.split(words, "-", { plain = true }) >= least_words
    or vim.fn.strchars(words) >= shortest
end

--- Gives a chat that `M.watch` was told of its name, when there is a question. Anybody else's stays.
---@param buf integer
---@param when? "written" it is written, and may not be sent yet
function M.give(buf, when)
  local path = vim.api.nvim_buf_get_name(buf)
  -- The text names what lies in a files folder by the name that the chat has.
  if vim.b[buf].parley_new_chat ~= path or vim.uv.fs_lstat(path .. ".files") then
    return
  end
  local words = M.slug(first_question(buf))
  if words == "" or (when == "written" and not says_enough(words)) then
    return
  end
  local to = free_path(vim.fs.dirname(path), os.date("%Y-%m-%d") .. "-" .. words)
  -- What was written under the name that it had comes along, or it keeps that name.
  local was_written = vim.uv.fs_lstat(path) ~= nil
  if was_written and not system.rename(path, to) then
    return
  end
  vim.b[buf].parley_new_chat = nil
  require("parley.text.undo").move_file(path, to)
  system.name_buffer(buf, to)
  if was_written and when ~= "written" then
    -- Neovim takes the file for its own again.
    vim.api.nvim_buf_call(buf, function()
      vim.cmd("silent write!")
    end)
  end
end

--- The buffer is a new chat with a name of its own for as long as it was not written.
---@param buf integer
function M.watch(buf)
  vim.b[buf].parley_new_chat = vim.api.nvim_buf_get_name(buf)
  vim.api.nvim_create_autocmd("BufWritePre", {
    group = group,
    buffer = buf,
    -- The chat has to hear of its name.
    nested = true,
    callback = function(event)
      -- Into another file it is written as a copy.
      local is_typing = vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
      if event.match == vim.api.nvim_buf_get_name(buf) and not is_typing then
        M.give(buf, "written")
      end
      return vim.b[buf].parley_new_chat == nil
    end,
  })
end

return M
