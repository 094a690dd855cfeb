--- The version of the Lua half, which a Neovim keeps in memory when the files change: as in package.json.
return "0.1.0"
