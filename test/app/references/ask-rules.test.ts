/** Rules of a project are offered once for each folder, and never taken without a yes. */
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agreedRules, type RulesAnswer, rulesOf } from "../../../src/app/references/ask-rules.ts";

let base: string;
let folder: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "parley-rules-")));
  folder = join(base, "project");
  await mkdir(folder);
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function write(name: string, text = "Be brief.\n"): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

function user(...answers: readonly RulesAnswer[]) {
  const asked: (readonly string[])[] = [];
  const left = [...answers];
  const offer = (workingFolder = folder, home = join(base, "home")) =>
    agreedRules({
      ...{ workingFolder, home, stateFolder: join(base, "state") },
      ask: async (names) => {
        asked.push(names);
        return left.shift() ?? "no";
      },
    });
  return { asked, offer };
}

describe("the rules of a folder", () => {
  it("are what is there under a known name, each once, and nothing that is elsewhere or empty", async () => {
    expect((await rulesOf([folder])).names).toEqual([]);
    await write("AGENTS.md");
    await symlink("AGENTS.md", join(folder, "CLAUDE.md"));
    await write(".cursor/rules/a.mdc");
    await mkdir(join(folder, ".github"));
    await writeFile(join(base, "secret"), "x");
    await symlink("../../secret", join(folder, ".github", "copilot-instructions.md"));
    expect((await rulesOf([folder])).names).toEqual(["AGENTS.md", ".cursor/rules"]);
    await write("AGENTS.md", "");
    expect((await rulesOf([folder])).names).toEqual([".cursor/rules"]);
  });

  it("are those of the project above it, too, up to its top and no further", async () => {
    const deep = join(folder, "packages", "one");
    await mkdir(deep, { recursive: true });
    await write("AGENTS.md");
    await writeFile(join(base, "AGENTS.md"), "Not of this project.");
    await writeFile(join(deep, "CLAUDE.md"), "One.");
    const { asked, offer } = user("no", "chat", "folder");
    expect(await offer(deep)).toEqual([]);
    expect(asked).toEqual([["CLAUDE.md"]]);
    await mkdir(join(folder, ".git"));
    await rm(join(base, "state"), { recursive: true });
    expect(await offer(deep)).toEqual(["CLAUDE.md", "AGENTS.md"]);
    expect(asked[1]).toEqual(["CLAUDE.md", "../../AGENTS.md"]);
    // A repository of all that a user has is no project.
    await rm(join(base, "state"), { recursive: true });
    expect(await offer(deep, join(folder, "me"))).toEqual(["CLAUDE.md"]);
  });

  it("are offered once, whatever the answer and also without one", async () => {
    const { asked, offer } = user("no", "chat");
    expect(await offer()).toEqual([]);
    expect(asked).toEqual([]);
    await write("AGENTS.md");
    expect(await offer()).toEqual([]);
    expect(await offer()).toEqual([]);
    expect(asked).toEqual([["AGENTS.md"]]);
    const other = join(base, "other");
    await mkdir(other);
    await writeFile(join(other, "AGENTS.md"), "x");
    expect(await offer(other)).toEqual(["AGENTS.md"]);
    expect(await offer(other)).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  it("are asked about once by two chats at the same time", async () => {
    await write("AGENTS.md");
    let answer: (answer: RulesAnswer) => void = () => {};
    const options = {
      workingFolder: folder,
      home: join(base, "home"),
      stateFolder: join(base, "state"),
    };
    const first = agreedRules({
      ...options,
      ask: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const { asked, offer } = user("chat");
    await expect
      .poll(() => readdir(join(base, "state", "rules-offers")).catch(() => []))
      .toHaveLength(1);
    expect(await offer()).toEqual([]);
    answer("folder");
    expect(await first).toEqual(["AGENTS.md"]);
    expect(asked).toEqual([]);
  });

  it("go into every chat of a folder after a yes to that, but what came since does not", async () => {
    await write("AGENTS.md");
    const { asked, offer } = user("folder");
    expect(await offer()).toEqual(["AGENTS.md"]);
    await write("CLAUDE.md");
    expect(await offer()).toEqual(["AGENTS.md"]);
    await rm(join(folder, "AGENTS.md"));
    expect(await offer()).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it("are no project's in a home folder or above, and a note that others wrote says no", async () => {
    await write("AGENTS.md");
    const { asked, offer } = user("folder");
    expect(await offer(folder, join(folder, "me"))).toEqual([]);
    expect(await offer(folder, folder)).toEqual([]);
    expect(asked).toEqual([]);
    await offer();
    const [name = ""] = await readdir(join(base, "state", "rules-offers"));
    const note = join(base, "state", "rules-offers", name);
    const text = await readFile(note, "utf8");
    for (const forged of [
      "",
      "{}",
      text.replace(folder, "/other"),
      text.replace('"folder"', "1"),
    ]) {
      await writeFile(note, forged);
      expect(await offer()).toEqual([]);
    }
    expect(asked).toHaveLength(1);
  });
});
