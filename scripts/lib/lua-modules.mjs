// What every file of the Lua half has to keep: annotations, a first line that says what it is, a length.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { annotationMistakes } from "./lua-annotations.mjs";
import { projectRoot } from "./paths.mjs";

/** As many as for TypeScript (biome.json). */
const longestFile = 400;

/** The first line of what a script wrote from a table. */
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

/** Sentences on what does not fit. `files`: the texts of all Lua files by path. */
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

/** The same as a check that `npm run check` can report. */
export async function checkLuaModules() {
  const mistakes = moduleMistakes(await readLuaFiles());
  return { code: mistakes.length > 0 ? 1 : 0, stdout: mistakes.join("\n"), stderr: "" };
}
