--- The file name of a new chat: the day and the first words of its question. The chat is renamed once: when it is
--- written and the question has enough words, else when it is sent. A write while the user types does not rename it.
local markers = require("parley.text.markers")
local system = require("parley.system")
local undisturbed = require("parley.system.undisturbed")

local M = {}

local group = vim.api.nvim_create_augroup("parley.chat_name", {})

--- The most words and characters in a name; more is useless in a list of files.
local most_words, longest = 8, 48

--- How many bytes of the question are used: a pasted log may have millions.
local most_bytes = 4096

--- A shorter name says too little: a write waits for more words, sending does not.
local least_words, shortest = 3, 12

--- The `charclass` values of blanks, punctuation and emoji.
local parts_words = { [0] = true, [1] = true, [3] = true }

--- Whether the character is a letter or digit of any script; invisible characters are not.
local function belongs_to_word(character)
  if #character == 1 then
    return character:find("%w") ~= nil
  end
  return not parts_words[vim.fn.charclass(character)] and vim.fn.strtrans(character) == character
end

--- Returns the first words of a text for a file name, such as `stock-prices`; empty when it has none.
---@param text string
---@return string
function M.slug(text)
  -- Removes NUL bytes, which Vim functions reject, and then references and the URLs of images.
  text = text
    :sub(1, most_bytes)
    :gsub("%z", " ")
    :gsub("@@[^@\n]+@@", " ")
    :gsub("(!%[[^%[%]\n]*%])%([^()\n]*%)", "%1")
  -- Apostrophes are part of English words, but not of file names.
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

--- Returns the text of the first question.
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

--- Whether the words are enough to say what the chat is about.
local function says_enough(words)
  return #vim.split(words, "-", { plain = true }) >= least_words
    or vim.fn.strchars(words) >= shortest
end

--- Renames a chat that `M.watch` was called for, once it has a question. Other chats keep their names.
---@param buf integer
---@param when? "written" it is written, and may not be sent yet
function M.give(buf, when)
  local path = vim.api.nvim_buf_get_name(buf)
  -- A chat with a files folder keeps its name, because its text refers to the folder by that name.
  if vim.b[buf].parley_new_chat ~= path or vim.uv.fs_lstat(path .. ".files") then
    return
  end
  local words = M.slug(first_question(buf))
  if words == "" or (when == "written" and not says_enough(words)) then
    return
  end
  local to = free_path(vim.fs.dirname(path), os.date("%Y-%m-%d") .. "-" .. words)
  -- A file written under the old name is moved too; if that fails, the chat keeps the old name.
  local was_written = vim.uv.fs_lstat(path) ~= nil
  if was_written and not system.rename(path, to) then
    return
  end
  vim.b[buf].parley_new_chat = nil
  require("parley.text.undo").move_file(path, to)
  system.name_buffer(buf, to)
  if was_written and when ~= "written" then
    -- Writing makes Neovim accept the renamed file as its own.
    vim.api.nvim_buf_call(buf, function()
      undisturbed.finish(vim.cmd, "silent write!")
    end)
  end
end

--- Marks the buffer as a new chat with a provisional name until it is written.
---@param buf integer
function M.watch(buf)
  vim.b[buf].parley_new_chat = vim.api.nvim_buf_get_name(buf)
  vim.api.nvim_create_autocmd("BufWritePre", {
    group = group,
    buffer = buf,
    -- Nested, so that the chat's own autocommands see the new name.
    nested = true,
    callback = function(event)
      -- A write to another file is only a copy.
      local is_typing = vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
      if event.match == vim.api.nvim_buf_get_name(buf) and not is_typing then
        M.give(buf, "written")
      end
      return vim.b[buf].parley_new_chat == nil
    end,
  })
end

return M
