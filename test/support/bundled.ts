/** A test's own program in one file: started a thousand times, it would read the files of its packages each time. */
import { join } from "node:path";
import { build } from "esbuild";
import { requireForBundled } from "../../scripts/lib/bundle.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const texts = new Map<string, Promise<string>>();

/** The program as one ES module; it imports by absolute paths or by names of packages. */
export function bundled(program: string): Promise<string> {
  const text = texts.get(program) ?? bundle(program);
  texts.set(program, text);
  return text;
}

async function bundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: projectRoot },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    // A logger that Neovim's client loads and these programs do not use.
    alias: { winston: join(projectRoot, "scripts", "stubs", "winston.mjs") },
    banner: { js: requireForBundled },
    logLevel: "silent",
  });
  return outputFiles.map(({ text }) => text).join("");
}
