/** Neovims that start with a damaged state folder: whatever is in it, a chat can be asked and its calls run. */
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/shared/json.ts";
import { createChaos } from "../support/chaos.mjs";
import { header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { oneNeovim } from "../support/neovim.ts";
import { keepFailure } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import { backToChat, look } from "./user.ts";

/** What a library, the language or Neovim says about a mistake of the program. */
const raw =
  /\bundefined\b|\[object |TypeError|Cannot read|is not a function|\bNaN\b|invalid_type|stack traceback|\bE\d{2,4}:|EISDIR|ENOTDIR|unhandled|Error executing/;

/** The sentence for a folder that cannot be written, with the system's reason. */
const announced = /^.*Parley cannot write to its state folder.*$/gm;

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".log"));
  return files.map((file) => join(file.parentPath, file.name));
}

type Chaos = ReturnType<typeof createChaos>;

/** Where links lead, which nobody may follow to write. */
const elsewhere = (home: string) => [join(home, "missing"), join(home, "precious")] as const;

async function damageFile(
  path: string,
  targets: readonly string[],
  { below, of, mutated, values }: Chaos,
): Promise<string> {
  const bytes = await readFile(path);
  const json = parseJson(bytes.toString("utf8"));
  const put = (text: string | Uint8Array) => writeFile(path, text);
  const replace = async (by: () => Promise<unknown>) => {
    await rm(path);
    await by();
  };
  const flipped = () => {
    const copy = Buffer.from(bytes);
    for (let times = 0; times < 3 && copy.length > 0; times += 1) {
      copy[below(copy.length)] = below(256);
    }
    return copy;
  };
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    empty: () => put(""),
    cut: () => put(bytes.subarray(0, below(bytes.length + 1))),
    flipped: () => put(flipped()),
    other: () => put(JSON.stringify(values())),
    twice: () => put(`${bytes}${bytes}\n{\n`),
    zeros: () => put(Buffer.alloc(4096)),
    folder: () => replace(() => mkdir(path)),
    link: () => replace(() => symlink(of([...targets, "/dev/null", path]), path)),
    unreadable: () => chmod(path, 0),
    gone: () => rm(path),
    mutated: () => put(JSON.stringify(mutated(json ?? {}))),
  };
  const way = json !== undefined && below(3) === 0 ? "mutated" : of(Object.keys(ways));
  await ways[way]?.();
  return way;
}

/** Returns what was damaged, and how. */
async function damage(
  state: string,
  targets: readonly string[],
  chaos: Chaos,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const file of await filesIn(state)) {
    if (chaos.below(2) > 0) continue;
    done.push(`${file.slice(state.length + 1)}: ${await damageFile(file, targets, chaos)}`);
  }
  for (const { name } of (await readdir(state, { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  )) {
    if (chaos.below(6) > 0) continue;
    await rm(join(state, name), { recursive: true });
    await writeFile(join(state, name), chaos.of(["", "{}", "text"]));
    done.push(`${name}: a file`);
  }
  return done;
}

/** Commands that read what is kept. */
const commands = [
  ...["usage", "status", "mcp", "remembered", "models", "tools", "chats", "next", "toggle"],
  ...["toggle", "ask what?", "changes", "outline", "attach always", "tags a", "tree", "log"],
].map((words) => `Parley ${words}`);

/** Everything that Neovim says and shows to somebody who looks at all of it, then asks and runs a call. */
async function lookAndAsk({ nvim, ...live }: LiveChat): Promise<readonly string[]> {
  const said: string[] = [];
  const hear = async (what: string) => {
    said.push(`${what}: ${await nvim.messages()}`);
    await nvim.command("messages clear");
  };
  await nvim.lua("vim.ui.select = function(_, _, choose) choose(nil) end");
  for (const command of [...commands, "checkhealth parley"]) {
    await look(nvim, command, 150);
    await hear(`${command}\n${await nvim.text()}`);
    await backToChat(nvim);
  }
  await nvim.input("G");
  const reply = await live.respond();
  reply.say("Hello. ");
  reply.call({ id: `call_${nvim.process.pid}`, query: "say:ran" });
  reply.end("tool_calls");
  await live.ended();
  await hear("asked");
  await nvim.input("yA");
  const next = await live.reply();
  next.say("Done.");
  next.end();
  await live.ended();
  await hear("ran");
  return said;
}

describe.each(oneNeovim)("a damaged state folder in Neovim $version", ({ path }) => {
  it.each(seedsOfRun(40))("of seed %i", async (seed) => {
    const live = await openLiveChat({ path });
    await lookAndAsk(live);
    await live.nvim.quit();
    const { home } = live.nvim;
    const [missing, precious] = elsewhere(home);
    await writeFile(precious, "precious");
    const state = join(home, "state", "nvim", "parley");
    const done = await damage(state, [missing, precious], createChaos(seed));
    const again = await live.reopen();
    await again.nvim.openChat("next.md", `${header}💬: again?\n`);
    await again.nvim.ready();
    const said = await lookAndAsk(again).catch((error: unknown) => [`stack traceback ${error}`]);
    const faults = said.filter((text) => raw.test(text.replace(announced, "")));
    if (existsSync(missing)) faults.push("something was written where a link leads");
    if ((await readFile(precious, "utf8")) !== "precious") faults.push("a link was written over");
    if (faults.length > 0) await keepFailure(`state ${seed}`, [...done, ...faults]);
    expect(faults).toEqual([]);
  });
});
