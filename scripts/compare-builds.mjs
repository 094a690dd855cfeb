// Opens the chats of test/oracle with two builds and reports the differences:
//   node scripts/compare-builds.mjs OLD/dist NEW/dist
// Compares the library's parse, next step and edits, and the output of `preview` and `check`, without messages
// for users.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runMain, say } from "./lib/say.mjs";

const folder = fileURLToPath(new URL("../test/oracle/fixtures/", import.meta.url));
const chats = readdirSync(folder).filter((name) => name.endsWith(".md"));
const models = [null, "openai/gpt-4.1", "openai/gpt-5.5-pro", "anthropic/claude-sonnet-4-6"];

/** The edits that the library exports, each applied to one exchange. */
const edits = {
  begin: (library, t, e) => library.beginAnswer(t, e, { label: "A", record: null }),
  continue: (library, t, e) => library.beginContinuation(t, e, { record: null }),
  replace: (library, t, e) => library.replaceAnswer(t, e, { label: "A", record: null }),
  restart: (library, t, e) => library.restartStep(t, e, { record: null }),
  retry: (library, t, e) => library.retryLastStep(t, e, { record: null }),
  stop: (library, t, e) => library.stopStep(t, e, "stopped"),
  open: (library, t, e) => library.openQuestion(t, e),
  approve: (library, t, e) => library.decideCalls(t, callsOf(e), "ya"),
  decline: (library, t, e) => library.declineCalls(t, callsOf(e), "yN", "no"),
};

function callsOf(exchange) {
  return exchange.answer?.steps.at(-1)?.calls ?? [];
}

function edited(library, edit, transcript, exchange) {
  try {
    const found = edit(library, transcript, exchange);
    return library.applyEdits(transcript.lines, found.edits ?? found).join("\n");
  } catch (error) {
    if (error instanceof RangeError) return "refused";
    throw error;
  }
}

function withoutSentences(key, value) {
  return key === "message" || key === "title" || key === "broken" ? typeof value : value;
}

/** Returns the library's results for one chat. */
function openByLibrary(library, name) {
  const transcript = library.parseTranscript(readFileSync(join(folder, name), "utf8"));
  const { emptySession, nextStep } = library;
  const exchanges = transcript.exchanges.map((exchange) => ({
    next: nextStep(transcript, exchange, emptySession),
    edits: Object.values(edits).map((edit) => edited(library, edit, transcript, exchange)),
  }));
  const { header, problems, exchanges: parsed } = transcript;
  const entries = header.entries.map(({ key, value, append, line }) => [key, value, append, line]);
  const found = { range: header.range, entries, problems, parsed, exchanges };
  return JSON.stringify(found, withoutSentences, 1);
}

/** Runs the command line with its own state folders and without API keys. */
function run(dist, home, words) {
  const names = ["CONFIG", "DATA", "STATE", "CACHE"];
  const xdg = Object.fromEntries(names.map((name) => [`XDG_${name}_HOME`, home]));
  const env = { PATH: process.env.PATH, SYSTEMROOT: process.env.SYSTEMROOT, HOME: home, ...xdg };
  const args = [join(dist, "cli.js"), ...words];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout) =>
      done(`${error?.code ?? 0}\n${stdout}`),
    );
  });
}

/** Returns all results for every chat, by name. */
async function open(dist, home) {
  const library = await import(pathToFileURL(join(dist, "index.js")).href);
  const views = new Map(chats.map((name) => [`${name}: parse`, openByLibrary(library, name)]));
  for (const name of chats) {
    const previews = models.map((model) =>
      run(dist, home, ["preview", name, ...(model === null ? [] : ["--model", model])]),
    );
    const [checked, ...previewed] = await Promise.all([
      run(dist, home, ["check", name]),
      ...previews,
    ]);
    views.set(`${name}: check`, checked.replaceAll(/: (\w+): .* (\[[\w-]+\])$/gm, ": $1 $2"));
    for (const [index, model] of models.entries()) {
      const asked = model ?? "its own model";
      views.set(
        `${name}: preview for ${asked}`,
        previewed[index].replace(/^.*cache.?key.*$/gim, ""),
      );
    }
  }
  return views;
}

await runMain(async ([oldDist, newDist]) => {
  if (newDist === undefined) throw new Error("Name two dist folders: the old one and the new one.");
  const home = mkdtempSync(join(tmpdir(), "parley-builds-"));
  try {
    const before = await open(resolve(oldDist), home);
    const after = await open(resolve(newDist), home);
    const unlike = [...before].filter(([name, view]) => after.get(name) !== view);
    for (const [name] of unlike) say(`not equal: ${name}`);
    say(`${before.size} views of ${chats.length} chats, ${unlike.length} not equal.`);
    return unlike.length === 0 ? 0 : 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
