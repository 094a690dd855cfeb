/**
 * `npm run bench` prints the performance budgets with the measurements of this machine. `-- quick` uses fewer runs and
 * leaves out the longest chats, `-- keys stream` runs only some parts, `-- files way` lists the files that run between
 * a key and its effect, `-- long line` and `-- long memory` add measurements that take minutes, and
 * `PARLEY_PEERS=folder … -- peers` also measures other plugins. Nothing passes or fails.
 */
import { cpus, tmpdir, totalmem } from "node:os";
import { now } from "./lib/clock.mjs";
import { fileSystemOf } from "./lib/processes.mjs";
import { startServer } from "./lib/server.mjs";
import { keyRows } from "./rows/keys.mjs";
import { lineRows } from "./rows/line.mjs";
import { listRows } from "./rows/list.mjs";
import { memoryRows, openingRows } from "./rows/opening.mjs";
import { peerRows } from "./rows/peers.mjs";
import { previewRows } from "./rows/preview.mjs";
import { firstSendRows, respondRows } from "./rows/respond.mjs";
import { startRows } from "./rows/start.mjs";
import { stopRows, toolRows } from "./rows/stop.mjs";
import { streamRows } from "./rows/stream.mjs";
import { textCallRows } from "./rows/text-calls.mjs";
import { wayRows } from "./rows/way.mjs";

const parts = {
  start: startRows,
  preview: previewRows,
  first: firstSendRows,
  respond: respondRows,
  line: lineRows,
  stream: streamRows,
  keys: keyRows,
  opening: openingRows,
  memory: memoryRows,
  stop: stopRows,
  tool: toolRows,
  list: listRows,
  "text-calls": textCallRows,
  way: wayRows,
  peers: peerRows,
};

const full = { runs: 5, seconds: 2, sizes: [10, 1000, 10_000] };
const quick = { runs: 2, seconds: 1, sizes: [10, 1000] };

/** Writes to stdout directly, because the neovim package replaces `console`. */
function say(text) {
  process.stdout.write(`${text}\n`);
}

function line(cells) {
  return `| ${cells.join(" | ")} |`;
}

function print(row) {
  const { what, budget = "", parley, plain, floor, others, ratio = "" } = row;
  const compared = plain === undefined ? "" : `plain ${plain}`;
  const minimal = floor === undefined ? "" : `floor ${floor}`;
  say(line([what, budget, parley, others ?? (compared || minimal), ratio]));
  if (namesFiles) for (const file of row.files ?? []) say(`  ${file}`);
}

const args = process.argv.slice(2);
const flags = ["quick", "files", "long"];
const namesFiles = args.includes("files");
const unknown = args.filter((name) => !flags.includes(name) && !(name in parts));
if (unknown.length > 0) {
  console.error(
    `There is no part ${unknown.join(", ")}; parts are ${Object.keys(parts).join(", ")}.`,
  );
  process.exit(2);
}
const nvim = JSON.parse(process.env.PARLEY_TEST_NVIMS ?? "[]").at(-1);
if (nvim === undefined) {
  console.error("There is no Neovim to measure with; scripts/bench.mjs finds one.");
  process.exit(1);
}
const wanted = args.filter((name) => !flags.includes(name));
const server = await startServer();
const context = {
  ...(args.includes("quick") ? quick : full),
  long: args.includes("long"),
  nvim,
  server,
};
const begun = now();
const [{ model }] = cpus();
say(
  `Neovim ${nvim.version}, Node ${process.versions.node}, ${cpus().length} × ${model.trim()}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, files on ${fileSystemOf(tmpdir())}; a screen of 120 × 40 is attached. ` +
    `Medians of ${context.runs} runs or more, with the least and the most in parentheses. ` +
    "Plain is Neovim alone with the same file; floor is a minimal host that makes the same writes (bench/floor).\n",
);
say(line(["what", "budget", "Parley", "compared with", "ratio"]));
say(line(["---", "---", "---", "---", "---"]));
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const row of await measure(context)) print(row);
}
server.close();
say(`\n${Math.round((now() - begun) / 1000)} s in all.`);
