rockspec_format = "3.0"
package = "parley.nvim"
version = "scm-1"
source = {
  url = "git+https://example.org/parley.nvim",
  branch = "release",
}
description = {
  summary = "Chat with language models inside a Neovim buffer",
  detailed = "One Markdown file is the whole state, and every tool call waits for one keystroke. Needs Node.",
  homepage = "https://example.org/parley.nvim",
  license = "MIT",
  labels = { "neovim" },
}
dependencies = { "lua >= 5.1, < 5.5" }
build = {
  type = "builtin",
  copy_directories = { "dist", "doc", "plugin", "rplugin", "scripts" },
}
