/** Neovim and `parley run` are killed before every single step of a save: the file is old or new, and whole. */
import { spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { environmentIn } from "../../scripts/lib/editor.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { openPlace } from "../cli/command-line.ts";
import { expectWholeAndFinished, question, runKilledAt, turns } from "../support/killed-run.ts";
import { neovims } from "../support/neovims.ts";
import { keepFigure } from "./failures.ts";

const script = fileURLToPath(new URL("kill-save.lua", import.meta.url));
const old = `💬: one\n\n🤖:[demo]\n\n${"Words. ".repeat(3000)}\n`;
const saved = `${old}new\n`;

async function killNeovim(path: string, folder: string, at: number): Promise<boolean> {
  const child = spawn(
    path,
    ["--headless", "-u", "NONE", "-i", "NONE", "--cmd", `set rtp^=${projectRoot}`, "-l", script],
    {
      env: environmentIn(folder, {
        KILL_AT: String(at),
        KILL_PATH: join(folder, "chat.md"),
        KILL_COUNT: join(folder, "count"),
      }),
      stdio: "ignore",
    },
  );
  const signal = await new Promise((resolve) => child.once("exit", (_, name) => resolve(name)));
  return signal === "SIGKILL";
}

const names: readonly (readonly [string, (folder: string) => void])[] = [
  ["a file", () => {}],
  [
    "a symbolic link",
    (folder) => {
      rmSync(join(folder, "chat.md"));
      writeFileSync(join(folder, "real.md"), old);
      symlinkSync("real.md", join(folder, "chat.md"));
    },
  ],
  [
    "one of two names",
    (folder) => {
      rmSync(join(folder, "other.md"), { force: true });
      linkSync(join(folder, "chat.md"), join(folder, "other.md"));
    },
  ],
];

/** Of a write in place: what Neovim would offer, put back. */
function healed(folder: string, left: string): string {
  const copies = join(folder, "state", "nvim", "parley", "saving");
  if (left === old || left === saved || !existsSync(copies)) return left;
  return readFileSync(join(copies, readdirSync(copies)[0] ?? ""), "utf8");
}

describe.each(neovims)("a save of Neovim $version, killed", ({ path }) => {
  it.each(names)("leaves the old text or the new one: %s", async (_, arrange) => {
    const place = openPlace();
    const { folder } = place;
    const left = new Set<string>();
    let kills = 0;
    for (let at = 1; ; at += 1) {
      rmSync(join(folder, "state"), { recursive: true, force: true });
      rmSync(join(folder, "chat.md"), { force: true });
      writeFileSync(join(folder, "chat.md"), old);
      arrange(folder);
      const isKilled = await killNeovim(path, folder, at);
      const text = healed(folder, readFileSync(join(folder, "chat.md"), "utf8"));
      expect([old, saved], `step ${at}`).toContain(text);
      left.add(text);
      if (!isKilled) break;
      kills += 1;
    }
    expect(readFileSync(join(folder, "count"), "utf8")).toContain("saved");
    expect(left.size).toBe(2);
    expect(kills).toBeGreaterThan(10);
    await keepFigure(`a save of ${path}: ${kills} kills`);
  });
});

describe("parley run, killed before every step of its saves", () => {
  it.each(["one name", "two names"])("leaves a whole text: %s", async (name) => {
    const place = openPlace(question, { ownProgram: true });
    place.write("script.json", turns);
    const copies = join(place.folder, "home", ".local", "state", "nvim", "parley", "saving");
    let finished: string | null = null;
    let kills = 0;
    // Every step of the first saves, then every ninth: the later ones are like them.
    for (let at = 1; ; at += at < 16 ? 1 : 9) {
      place.write("chat.md", question);
      rmSync(join(place.folder, "other.md"), { force: true });
      if (name === "two names") linkSync(place.file, join(place.folder, "other.md"));
      const isKilled = (await runKilledAt(place, at)).signal === "SIGKILL";
      const [copy] = existsSync(copies)
        ? readdirSync(copies).filter((file) => /^[0-9a-f]{64}$/.test(file))
        : [];
      // What Neovim offers, and the sentence of `parley run` names.
      if (copy !== undefined) writeFileSync(place.file, readFileSync(join(copies, copy)));
      const text = await expectWholeAndFinished(place);
      finished ??= text;
      expect(text, `step ${at}`).toBe(finished);
      if (!isKilled) break;
      kills += 1;
      expect(at).toBeLessThan(1000);
    }
    expect(kills).toBeGreaterThan(15);
    await keepFigure(`parley run, ${name}: ${kills} kills`);
  });
});
