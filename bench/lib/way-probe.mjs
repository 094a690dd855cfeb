/**
 * Loaded into the host before its own code: records which functions run between two events. An event is something that
 * the host reads or writes, or the signal SIGUSR2. Writes a JSON line per interval: the event that ended it, its time,
 * and the positions of the functions that ran.
 */
import { appendFileSync } from "node:fs";
import { Session } from "node:inspector";
import { Duplex } from "node:stream";
import { now } from "./clock.mjs";

const session = new Session();
session.connect();

/** Sends a command to the inspector. The result is synchronous, because the session is in the same thread. */
function ask(method, parameters) {
  let answer = null;
  session.post(method, parameters, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

ask("Profiler.enable");
ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Writes the interval; the counts then start at zero again. */
function take(end) {
  const at = now();
  const { result } = ask("Profiler.takePreciseCoverage");
  const ran = result
    .filter(({ url }) => url.includes("/dist/"))
    .map(({ url, functions }) => ({
      url,
      // A function at offset 0 is the file itself, which ran when it was loaded.
      offsets: functions
        .filter(({ ranges }) => ranges[0].count > 0 && ranges[0].startOffset > 0)
        // The middle is certainly in the function's own file; the start may be on a line shared with another file.
        .map(({ ranges: [{ startOffset, endOffset }] }) => (startOffset + endOffset) >> 1),
    }))
    .filter(({ offsets }) => offsets.length > 0);
  appendFileSync(process.env.PARLEY_WAY, `${JSON.stringify({ end, at, ran })}\n`);
}

const { emit } = process.stdin;
process.stdin.emit = function emitAndLook(event, data, ...rest) {
  // In MessagePack a short string is its length and its bytes.
  const action =
    event === "data" && /\xa6action[\xa0-\xbf](key|respond)/.exec(data.toString("latin1"))?.[1];
  if (action) take(`before ${action}`);
  return emit.call(this, event, data, ...rest);
};

const { write } = Duplex.prototype;
Duplex.prototype.write = function writeAndLook(data, ...rest) {
  const text = typeof data === "string" ? data : Buffer.from(data ?? "").toString("latin1");
  if (text.includes('"tools/call"')) take("tool");
  if (text.startsWith("POST ")) take("request");
  return write.call(this, data, ...rest);
};

process.on("SIGUSR2", () => take("signal"));
