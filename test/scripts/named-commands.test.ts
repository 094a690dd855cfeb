/** The commands that pages and comments mention exist, and so do their arguments. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { wordsWithoutFile } from "../../scripts/lib/vitest.mjs";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const below = (folder: string, ending: RegExp) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => ending.test(path));

const sources = [
  ...readdirSync(projectRoot).filter((name) => name.endsWith(".md") || name === "vitest.config.ts"),
  ...readdirSync(join(projectRoot, "doc"))
    .filter((name) => /\.(md|txt)$/.test(name))
    .map((name) => `doc/${name}`),
  ...below(".github", /\.(md|yml)$/),
  ...below("scripts", /\.mjs$/),
  ...below("bench", /\.mjs$/),
];

interface Command {
  readonly from: string;
  readonly program: string;
  readonly words: readonly string[];
}

/** Commands in backquotes, shell blocks and workflows. A word in capitals is a placeholder for the reader's value. */
function commandsOf(from: string): readonly Command[] {
  const text = read(from);
  const shell = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, code = ""]) =>
    code.split("\n"),
  );
  const runs = [...text.matchAll(/^\s*(?:- )?run: (.*)$/gm)].map(([, code = ""]) => code);
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  return [...shell, ...runs, ...quoted].flatMap((code) =>
    code.split(/ && | #/).flatMap((one) => {
      const [, program, rest = ""] =
        /^(?:[A-Z_]+=\S+ )*(npm test|npm run [\w:-]+|node [\w/.-]+\.(?:mjs|js|ts))(?: (?:-- )?(.*))?$/.exec(
          one.trim(),
        ) ?? [];
      const words = rest.split(" ").filter((word) => word !== "" && !/[A-Z[<$%*…]/.test(word));
      return program === undefined ? [] : [{ from, program, words }];
    }),
  );
}

const commands = sources.flatMap(commandsOf);

/** The words that select files, without options and their values. */
function filters(words: readonly string[]): readonly string[] {
  const option = words.findIndex((word) => word.startsWith("-"));
  return option < 0 ? words : words.slice(0, option);
}

it("the pages and scripts mention many commands", () => {
  expect(commands.length).toBeGreaterThan(60);
  expect(new Set(commands.map(({ program }) => program)).size).toBeGreaterThan(12);
});

it("every mentioned command exists", () => {
  const gone = commands.filter(({ program }) => {
    const [runner, , script = ""] = program.split(" ");
    if (runner === "npm") return script !== "" && !(script in packageJson.scripts);
    return !existsSync(join(projectRoot, program.slice("node ".length)));
  });
  expect(gone).toEqual([]);
});

it("every mentioned test filter matches a test file", () => {
  const tests = below("test", /\.test\.ts$/);
  const soaks = below("test/soak", /\.soak\.ts$/);
  const chosen = commands.flatMap(({ from, program, words }) => {
    const isVersion = (word: string) => program === "npm run nodes" && /^[\d.]+$/.test(word);
    if (!["npm test", "npm run nodes", "npm run soak"].includes(program)) return [];
    const files = program === "npm run soak" ? soaks : tests;
    const names = filters(words).filter((word) => !isVersion(word));
    return names.map((word) => ({
      from,
      word,
      isThere: files.some((path) => path.includes(word)),
    }));
  });
  expect(chosen.length).toBeGreaterThan(4);
  expect(chosen.filter(({ isThere }) => !isThere)).toEqual([]);
});

it("every mentioned part of the benchmark exists", () => {
  const rows = commands.filter(({ program }) => program === "npm run bench");
  const words = [...new Set(rows.flatMap((row) => row.words))];
  expect(words.length).toBeGreaterThan(4);
  const { PARLEY_TEST_NVIMS: _, ...env } = process.env;
  // The script checks its arguments before it looks for an editor.
  const main = join(projectRoot, "bench", "main.mjs");
  const said = spawnSync(process.execPath, [main, ...words], { env, encoding: "utf8" });
  expect(said.stderr).toBe("There is no Neovim to measure with; scripts/bench.mjs finds one.\n");
});

it("every mentioned option is read by its script", () => {
  const scripts = new Map(Object.entries<string>(packageJson.scripts));
  const known = ["npm test", "npm run soak", "npm run nodes", "npm run bench"];
  const unread = commands.flatMap(({ from, program, words }) => {
    const [, path] = /^node (\S+)$/.exec(scripts.get(program.slice("npm run ".length)) ?? "") ?? [];
    if (known.includes(program) || path === undefined) return [];
    const text = read(path);
    const options = words.filter((word) => word.startsWith("--"));
    return options
      .filter((word) => !text.includes(word.slice(2)))
      .map((word) => `${from}: ${basename(path)} ${word}`);
  });
  expect(unread).toEqual([]);
});

describe("npm test with words that match no file", () => {
  it("reports these words in one sentence", () => {
    expect(wordsWithoutFile(["status"])).toBe(
      "No test file has “status” in its path; `npm test` alone runs all.",
    );
    expect(wordsWithoutFile(["one", "two", "-t", "three"])).toBe(
      "No test file has “one” or “two” in its path; `npm test` alone runs all.",
    );
  });
});
