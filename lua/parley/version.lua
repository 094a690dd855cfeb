--- The version of the loaded Lua code, the same as in package.json: a running Neovim keeps it when the files change.
return "0.1.0"
