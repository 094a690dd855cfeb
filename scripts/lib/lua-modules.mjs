// Checks the rules for every Lua file: annotations, a first line that says what it is, and its length.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { annotationMistakes } from "./lua-annotations.mjs";
import { projectRoot } from "./paths.mjs";

/** The same limit as for TypeScript (biome.json). */
const longestFile = 400;

/** Recognizes the first line of a generated file. */
const isGenerated = (text) => /^-- ?-?.*`npm run docs`/.test(text);

export async function readLuaFiles() {
  const paths = await readdir(join(projectRoot, "lua"), { recursive: true });
  const files = paths.filter((path) => path.endsWith(".lua")).sort();
  return new Map(
    await Promise.all(
      files.map(async (path) => [
        `lua/${path.replaceAll("\\", "/")}`,
        await readFile(join(projectRoot, "lua", path), "utf8"),
      ]),
    ),
  );
}

/** Returns messages about violations. `files`: the texts of all Lua files by path. */
export function moduleMistakes(files) {
  const shapes = [...files].flatMap(([path, text]) => {
    const count = text.split("\n").length - 1;
    const isLong = count > longestFile && !isGenerated(text);
    return [
      ...(text.startsWith("--- ") ? [] : [`${path} does not open with a sentence on what it is.`]),
      ...(isLong ? [`${path} has ${count} lines; ${longestFile} is the most.`] : []),
    ];
  });
  return [...shapes, ...annotationMistakes(files)];
}

/** Returns the same as a check for `npm run check`. */
export async function checkLuaModules() {
  const mistakes = moduleMistakes(await readLuaFiles());
  return { code: mistakes.length > 0 ? 1 : 0, stdout: mistakes.join("\n"), stderr: "" };
}
