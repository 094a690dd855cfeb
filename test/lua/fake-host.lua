--- A host that does nothing but note what Lua tells it, in a Lua variable where the tests read it. It is in Lua, since
--- the tests start a thousand of them, and a Neovim starts in a tenth of the time that Node needs.
local note = "Received = Received or {}; table.insert(Received, (...))"
local call = "return require('parley.rpc').call(...)"

local stdin, stdout = assert(vim.uv.new_pipe(false)), assert(vim.uv.new_pipe(false))
stdin:open(0)
stdout:open(1)

local on_answer = {}

local function request(method, parameters, take)
  table.insert(on_answer, take or function() end)
  stdout:write(vim.mpack.encode({ 0, #on_answer, method, parameters }))
end

local function crash(words, code)
  io.stderr:write(words .. "\n")
  os.exit(code)
end

local has_begun, early = false, {}

local function keep(message)
  request("nvim_exec_lua", { note, { message } })
end

local function take_message(message)
  if message.action == "command" and message.name == "crash" then
    crash("the fake host was told to crash", 7)
  elseif message.action == "health" then
    local report = { lines = { { level = "ok", text = "the fake host answers" } } }
    request("nvim_exec_lua", { call, { "health_report", message.id, report } })
  end
  -- What a test reads of a message says that the host has said its first word, too.
  if has_begun then
    keep(message)
  else
    table.insert(early, message)
  end
end

--- A response is `{ 1, id, error, result }`, a notification `{ 2, method, parameters }`.
local function take(message)
  if message[1] == 2 and message[2] == "parley" then
    take_message(message[3][1])
  elseif message[1] == 1 then
    if message[3] ~= vim.NIL then
      crash(vim.inspect(message[3]), 1)
    end
    on_answer[message[2]](message[4])
  end
end

-- Lua takes everything before the first call for a failed start.
request("nvim_get_chan_info", { 0 }, function(channel)
  request("nvim_exec_lua", { call, { "ready", channel.id } }, function()
    has_begun = true
    vim.iter(early):each(keep)
  end)
end)

local unpack = vim.mpack.Unpacker()
stdin:read_start(function(err, bytes)
  assert(not err, err)
  if not bytes then
    os.exit(0)
  end
  local at = 1
  while at <= #bytes do
    local message
    message, at = unpack(bytes, at)
    if message ~= nil then
      take(message)
    end
  end
end)
vim.uv.run()
