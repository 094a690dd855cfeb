std = "luajit"
cache = false
codes = true
max_line_length = 120
-- Neovim's one global; plugins write options, variables and buffer-local settings through it.
globals = { "vim" }
-- Callbacks get arguments they do not all need.
unused_args = false
-- Generated from the tables of options and messages: their sentences are one line each.
files["lua/parley/config/options.lua"] = { max_line_length = false }
files["lua/parley/config/types.lua"] = { max_line_length = false }
files["lua/parley/host/messages.lua"] = { max_line_length = false }
-- Markdown as models write it, with blanks at the ends of lines.
files["test/lua/colours.lua"] = { ignore = { "613" } }
