--- Opens a file, or lines in a buffer that belongs to no file.
local M = {}

local function open_lines(lines, options)
  local buf = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modified = false
  vim.bo[buf].modifiable = options.modifiable == true
  if options.title then
    -- A buffer of that name may still be open; then this one stays without.
    pcall(vim.api.nvim_buf_set_name, buf, "parley://" .. options.title)
  end
  vim.cmd(options.split or "split")
  vim.api.nvim_win_set_buf(0, buf)
  if options.filetype then
    vim.bo[buf].filetype = options.filetype
  end
  return buf
end

--- `what`: a path, or a list of lines. `options`: `split` (an Ex command, default `split`; `edit` for the
--- current window), `filetype`, `title`, `modifiable`, `line` (0-based).
function M.open(what, options)
  local buf
  if type(what) == "table" then
    buf = open_lines(what, options)
  else
    local command = options.split and options.split ~= "edit" and options.split or "edit"
    vim.cmd({ cmd = command, args = { what }, magic = { file = false, bar = false } })
    buf = vim.api.nvim_get_current_buf()
    if options.filetype then
      vim.bo[buf].filetype = options.filetype
    end
  end
  if options.line then
    vim.api.nvim_win_set_cursor(
      0,
      { math.min(options.line + 1, vim.api.nvim_buf_line_count(buf)), 0 }
    )
  end
  return buf
end

--- Opens a web address outside of Neovim: `{ status = "opened" }`, or `failed` with a message.
function M.address(address)
  local ok, started, message = pcall(vim.ui.open, address)
  if ok and not message then
    return { status = "opened" }
  end
  return { status = "failed", message = tostring(message or started) }
end

return M
