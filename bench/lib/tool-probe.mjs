/**
 * Loaded into the host before its own code: writes a JSON line with the time of each key message from Neovim, each call
 * and result of a tool's server, and each request to a model.
 */
import { appendFileSync } from "node:fs";
import { Duplex } from "node:stream";
import { now } from "./clock.mjs";

const lines = [];
setInterval(() => {
  if (lines.length > 0) appendFileSync(process.env.PARLEY_TOOL_TIMES, lines.splice(0).join(""));
}, 50).unref();

function note(what) {
  lines.push(`${JSON.stringify({ what, at: now() })}\n`);
}

const { emit, write } = Duplex.prototype;
Duplex.prototype.emit = function emitAndNote(event, data, ...rest) {
  if (event === "data" && data instanceof Uint8Array) {
    const text = Buffer.from(data).toString("latin1");
    // In MessagePack a short string is its length and its bytes.
    if (/\xa6action[\xa0-\xbf]key/.test(text)) note("key");
    if (text.includes('"jsonrpc"') && text.includes('"content"')) note("result");
  }
  return emit.call(this, event, data, ...rest);
};
Duplex.prototype.write = function writeAndNote(data, ...rest) {
  const text = typeof data === "string" ? data : Buffer.from(data ?? "").toString("latin1");
  if (text.includes('"tools/call"')) note("tool");
  if (text.startsWith("POST ")) note("request");
  return write.call(this, data, ...rest);
};
