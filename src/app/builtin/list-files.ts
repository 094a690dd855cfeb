import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import { matchesPattern } from "../../conversation/settings/tool-selection.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { TypedTool } from "../../tools/typed-tool.ts";
import { runProgram } from "./programs.ts";
import type { BuiltinContext } from "./surroundings.ts";

/** Files given, and folders looked into where ripgrep is not there. */
const limits = { files: 1000, folders: 5000 };

const input = z.object({
  path: z.string().min(1).default(".").describe("The folder."),
  name: z
    .string()
    .min(1)
    .optional()
    .describe("Only files whose name fits, with * for any characters, such as *.ts."),
});

export function listFilesTool({ places, workingFolder }: BuiltinContext): TypedTool {
  return defineTool({
    name: "list_files",
    description: "Lists the files of a folder and of those below it, but those that Git ignores.",
    input,
    async run({ path: given, name = "*" }, { progress, signal }) {
      const path = await places.enter(given, { verb: "list", writes: false, waiting: progress });
      const folder = workingFolder();
      const from = relative(folder, path) || ".";
      const all =
        (await listedByRipgrep(from, folder, signal)) ?? (await walk(folder, from, signal));
      const files = all
        .filter((file) => matchesPattern(name, file.split(/[\\/]/).at(-1) ?? ""))
        .map((file) => file.replace(/^\.[\\/]/, ""))
        .sort();
      if (files.length === 0) return "There are no such files.";
      const shown = files.slice(0, limits.files);
      if (shown.length === files.length) return shown.join("\n");
      return `${shown.join("\n")}\n(The first ${shown.length} of ${files.length} files; name a folder below for the rest.)`;
    },
  });
}

/** Null: ripgrep is not there. */
async function listedByRipgrep(
  from: string,
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const output = await runProgram(
    "rg",
    ["--no-config", "--files", "--hidden", "--glob=!.git", "--", from],
    { folder, signal },
  );
  if (output.code === null) return null;
  if (output.code > 1 && output.stdout === "") {
    throw new Error(`The files could not be listed: ${output.stderr.trim().slice(0, 300)}`);
  }
  return output.stdout.split("\n").filter((file) => file !== "");
}

/** Links to folders are not followed: they may lead in a circle, or out. */
async function walk(folder: string, from: string, signal: AbortSignal): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [from];
  for (let looked = 0; folders.length > 0 && looked < limits.folders; looked += 1) {
    signal.throwIfAborted();
    const next = folders.shift() ?? ".";
    for (const entry of await readdir(join(folder, next), { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (!entry.isDirectory()) files.push(path);
      else if (entry.name !== ".git" && entry.name !== "node_modules") folders.push(path);
    }
  }
  return files;
}
