/**
 * Loaded into the host before its own code: counts which functions run between two moments. A moment is something that
 * the host reads or writes, or the signal SIGUSR2. Writes one JSON line for each stretch: what ended it, when, and
 * where the functions that ran in it are.
 */
import { appendFileSync } from "node:fs";
import { Session } from "node:inspector";
import { Duplex } from "node:stream";
import { now } from "./clock.mjs";

const session = new Session();
session.connect();

/** Answers come at once: the session is of this thread. */
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

/** Counts begin at zero after each take. */
function take(end) {
  const at = now();
  const { result } = ask("Profiler.takePreciseCoverage");
  const ran = result
    .filter(({ url }) => url.includes("/dist/"))
    .map(({ url, functions }) => ({
      url,
      // What begins where the file does is the file itself, which ran when it was loaded.
      offsets: functions
        .filter(({ ranges }) => ranges[0].count > 0 && ranges[0].startOffset > 0)
        // Its middle is surely in its own file, where its beginning may be behind the end of another on one line.
        .map(({ ranges: [{ startOffset, endOffset }] }) => (startOffset + endOffset) >> 1),
    }))
    .filter(({ offsets }) => offsets.length > 0);
  appendFileSync(process.env.PARLEY_WAY, `${JSON.stringify({ end, at, ran })}\n`);
}

const { emit } = process.stdin;
process.stdin.emit = function emitAndLook(event, data, ...rest) {
  // MessagePack: a short text is its length and its letters.
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
