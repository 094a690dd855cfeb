/** How many files of the project run on the way of a key, of a question and of what streams. */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { chatText } from "../lib/chats.mjs";
import { pause, until } from "../lib/clock.mjs";
import { startEditor } from "../lib/editor.mjs";
import { answered, ask, countDone } from "./respond.mjs";

/** From now on: which files of the Lua half run, and when each did first. */
const watchLua = `jit.off()
WAY = vim.empty_dict()
local root = ...
debug.sethook(function()
  local source = debug.getinfo(2, "S").source
  if not WAY[source] and source:sub(2, #root + 1) == root then
    WAY[source] = vim.uv.hrtime() / 1e6
  end
end, "c")`;
const unwatchLua = "debug.sethook() return WAY";

const maps = new Map();

/** A built file with its source map. */
function builtFile(url) {
  if (!maps.has(url)) {
    const path = fileURLToPath(url);
    const text = readFileSync(path, "utf8");
    const starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
    maps.set(url, { path, starts, map });
  }
  return maps.get(url);
}

/** The file of src/ that this place in a built file comes from; nothing for code of packages. */
function sourceOf(url, offset) {
  const { path, starts, map } = builtFile(url);
  const line = starts.findLastIndex((start) => start <= offset);
  const { originalSource } = map.findEntry(line, offset - starts[line]);
  if (!originalSource) return [];
  const source = relative(projectRoot, join(path, "..", originalSource));
  return source.startsWith("src/") ? [source] : [];
}

/** The stretches that the probe wrote, in their order. */
function stretches(file) {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => {
    const { end, at, ran } = JSON.parse(line);
    const sources = ran.flatMap(({ url, offsets }) =>
      offsets.flatMap((offset) => sourceOf(url, offset)),
    );
    return { end, at, sources: [...new Set(sources)].sort() };
  });
}

/** What the last stretch with this end ran, on both sides. */
function way(file, end, lua) {
  const { at, sources } = stretches(file).findLast((stretch) => stretch.end === end);
  const early = Object.entries(lua).filter(([, first]) => first <= at);
  return {
    typescript: sources,
    lua: early.map(([source]) => relative(projectRoot, source.slice(1))).sort(),
  };
}

const luaRoot = join(projectRoot, "lua");

/** From a key to the moment that ends its way. */
async function ofKey(editor, file, keys, end) {
  const before = stretches(file).filter((stretch) => stretch.end === end).length;
  await editor.lua(watchLua, luaRoot);
  await editor.input(keys);
  await until(`the way to the ${end}`, () => {
    return stretches(file).filter((stretch) => stretch.end === end).length > before;
  });
  return way(file, end, await editor.lua(unwatchLua));
}

/** What runs while an answer streams. */
async function ofDeltas(editor, file, server) {
  await ask(editor);
  await server.plan({ deltas: 200, perSecond: 100 });
  await editor.input("<C-g><C-g>");
  await server.heard("request");
  await pause(500);
  process.kill(editor.host(), "SIGUSR2");
  await pause(50);
  await editor.lua(watchLua, luaRoot);
  await pause(700);
  process.kill(editor.host(), "SIGUSR2");
  await pause(50);
  const lua = await editor.lua(unwatchLua);
  await answered(editor, server);
  return way(file, "signal", lua);
}

async function askForTool(editor, server, query) {
  await ask(editor);
  await server.plan({ call: { name: "web_search", arguments: JSON.stringify({ query }) } });
}

const approve = "gg/^❓: <CR>zt";

/** All that a first time loads is loaded: the second question, key and stream are counted. */
async function measure({ nvim, server }) {
  const file = join(tmpdir(), `parley-way-${process.pid}.jsonl`);
  const text = chatText(10).replace("\n---\n", "\ntools: mock\n---\n");
  const probe = new URL("../lib/way-probe.mjs", import.meta.url).href;
  const environment = {
    ...server.environment,
    NODE_OPTIONS: `--import ${probe}`,
    PARLEY_WAY: file,
    // What runs is counted by its place in the files as Node itself loads them.
    NODE_DISABLE_COMPILE_CACHE: "1",
  };
  const editor = await startEditor(nvim, { kind: "parley", text, environment });
  await editor.lua(countDone);
  await askForTool(editor, server, "first");
  await editor.input("<C-g><C-g>");
  await answered(editor, server);
  await server.plan({ deltas: 20, perSecond: 500 });
  await editor.input(`${approve}ya`);
  await server.heard("written");
  await until("the answer", () => editor.lua("return vim.fn.search('^💬: *$') > 0"));
  await askForTool(editor, server, "second");
  const respond = await ofKey(editor, file, "<C-g><C-g>", "request");
  await answered(editor, server);
  await editor.input(approve);
  await pause(300);
  await server.plan({ deltas: 20, perSecond: 500 });
  const key = await ofKey(editor, file, "ya", "tool");
  await until("the answer", () => editor.lua("return vim.fn.search('^💬: *$') > 0"));
  const deltas = await ofDeltas(editor, file, server);
  await editor.close();
  return { key, respond, deltas };
}

function row(what, budget, { typescript, lua }) {
  const parley = `${typescript.length} TypeScript, ${lua.length} Lua`;
  return { what, budget, parley, files: [...typescript, ...lua] };
}

export async function wayRows(context) {
  const { key, respond, deltas } = await measure(context);
  return [
    row("source files that run between `ya` and the start of the tool", "", key),
    row("— between respond and its request", "", respond),
    row("— while an answer streams", "", deltas),
  ];
}
