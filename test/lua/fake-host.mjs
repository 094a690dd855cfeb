// A host that does nothing but note what Lua tells it, in a Lua variable where the tests read it.
import { attach } from "neovim";

const silent = { level: "error", info() {}, warn() {}, error() {}, debug() {} };
const nvim = attach({
  reader: process.stdin,
  writer: process.stdout,
  options: { logger: silent },
});
const note = "Received = Received or {}; table.insert(Received, (...))";

process.stdin.on("end", () => process.exit(0));
nvim.on("notification", (method, [message]) => {
  if (method !== "parley") return;
  if (message.action === "command" && message.name === "crash") {
    console.error("the fake host was told to crash");
    process.exit(7);
  }
  if (message.action === "health") {
    const report = { lines: [{ level: "ok", text: "the fake host answers" }] };
    call("health_report", message.id, report);
  }
  // What a test reads of a message says that the host has said its first word, too.
  begun.then(() => nvim.request("nvim_exec_lua", [note, [message]]));
});

function call(name, ...parameters) {
  const code = "return require('parley.rpc').call(...)";
  return nvim.request("nvim_exec_lua", [code, [name, ...parameters]]);
}

// Lua takes everything before the first call for a failed start.
const begun = nvim.channelId.then((channel) => call("ready", channel));
await begun;
