-- Defines commands, maps and autocommands that load their code on first use; only the key table is read now.
if vim.g.loaded_parley then
  return
end
vim.g.loaded_parley = true

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, run, options)
end

command("Parley", function(arguments)
  require("parley.commands").run(arguments)
end, {
  nargs = "*",
  range = true,
  desc = "Parley: chat with a model in this buffer",
  complete = function(_, line, position)
    return require("parley.commands").complete(line, position)
  end,
})
command("ParleyChatNew", function(arguments)
  require("parley.commands").run({ fargs = { "new" }, range = 0, smods = arguments.smods })
end, { desc = "Parley: a new chat" })
command("ParleyChatRespond", function()
  require("parley").respond()
end, { desc = "Parley: answer the question at the cursor" })
command("ParleyStop", function()
  require("parley").stop()
end, { desc = "Parley: stop what runs in this chat" })

for _, row in ipairs(require("parley.config.key_table").rows) do
  vim.keymap.set(row.modes, "<Plug>(parley-" .. row.name:gsub("_", "-") .. ")", function()
    require("parley.press").press(row.name)
  end, { desc = "Parley: " .. row.words })
end

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufWritePost" }, {
  group = vim.api.nvim_create_augroup("parley", {}),
  pattern = { "*.md", "*.markdown" },
  desc = "Parley: see whether the file is a chat",
  callback = function(event)
    require("parley.visit").visit(event.buf, event.event == "BufReadPost")
  end,
})

vim.api.nvim_create_autocmd("BufReadPost", {
  group = "parley",
  desc = "Parley: see whether the file is one that a person made a chat for always",
  callback = function(event)
    local is_asked = event.file:find("%.md$") or event.file:find("%.markdown$")
    -- Loads nothing for users who never attached a file.
    local answers = not is_asked and vim.fs.joinpath(vim.fn.stdpath("state"), "parley", "attached")
    if answers and vim.uv.fs_stat(answers) then
      require("parley.visit").visit_other(event.buf)
    end
  end,
})

vim.api.nvim_create_autocmd("BufWritePost", {
  group = "parley",
  -- A link to config.json may have any name, but hardly another ending.
  pattern = "*.json",
  desc = "Parley: apply config.json",
  callback = function(event)
    -- Loads nothing for users who have not opened a chat.
    if package.loaded["parley.config"] then
      require("parley.reconfigure").written(event.match)
    end
  end,
})

vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = "parley",
  desc = "Parley: close the lists that a session opens without what was in them",
  callback = function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      local is_list = vim.startswith(vim.api.nvim_buf_get_name(buf), "parley://")
      if is_list and vim.bo[buf].buftype == "" then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end
  end,
})

-- A plugin manager may load this after the file was read.
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf):find("%.m[da]") then
    vim.schedule(function()
      require("parley.visit").visit(buf)
    end)
  end
end
