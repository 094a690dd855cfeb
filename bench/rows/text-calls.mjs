/** The cost of detecting calls in the text of an answer, measured separately. */
import { performance } from "node:perf_hooks";
import { createDetector, detectableProtocols } from "../../dist/index.js";
import { median, number, spread } from "../lib/statistics.mjs";

const line = "Some words of an ordinary answer, with [a link](x), `code` and {braces}.\n";
const tools = [{ name: "web_search", inputSchema: { type: "object" } }];
const looking = {
  "in one requested form (smiley)": { protocols: ["smiley"], asked: ["smiley"] },
  "in all forms (salvage)": { protocols: [...detectableProtocols.keys()], asked: [] },
};

/** Returns the milliseconds for this many deltas of six characters. */
function search(deltas, options) {
  const text = line.repeat(Math.ceil((deltas * 6) / line.length));
  const detector = createDetector({ ...options, tools });
  const begun = performance.now();
  for (let at = 0; at < deltas; at += 1) detector.push(text.slice(at * 6, at * 6 + 6));
  detector.end("stop");
  return performance.now() - begun;
}

export function textCallRows({ runs }) {
  return Object.entries(looking).flatMap(([name, options]) => {
    const times = (deltas) => Array.from({ length: runs }, () => search(deltas, options));
    // The first runs are slower, because the code is not compiled yet.
    times(20_000);
    const few = times(20_000);
    const many = times(80_000);
    return [
      { what: `20,000 deltas searched for calls ${name}, ms`, parley: spread(few) },
      {
        what: "— 80,000: cost of each delta, compared with 20,000",
        parley: `${number(median(many) / 4 / median(few))} ×`,
      },
    ];
  });
}
