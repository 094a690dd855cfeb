rockspec_format = "3.0"
package = "parley.nvim"
version = "scm-1"
source = {
  url = "git+https://example.org/parley.nvim",
  branch = "release",
}
description = {
  summary = "Chat with language models inside a Neovim buffer; every tool call waits for one keystroke",
  homepage = "https://example.org/parley.nvim",
  license = "MIT",
}
dependencies = { "lua >= 5.1" }
build = {
  type = "builtin",
  copy_directories = { "doc", "plugin", "rplugin", "dist", "scripts" },
}
