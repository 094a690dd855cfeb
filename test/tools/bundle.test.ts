/** Validation of arguments in a program's own bundle, including its thread and the exit of the process. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { programTexts } from "../../scripts/lib/program-text.mjs";

// Only the pending validation may keep the process alive; the idle thread must not.
const program = `
  import { validateArguments } from "./schema-validation.js";
  for (const $schema of [undefined, "http://json-schema.org/draft-07/schema#"]) {
    const inputSchema = { $schema, properties: { mail: { format: "email", type: "string" } } };
    const tool = { name: "send", description: "", inputSchema, server: null };
    console.log(await validateArguments(tool, '{"mail":"x"}', console.error));
  }
`;

// Node and bundlers import CommonJS modules differently, and ajv is CommonJS.
it("validates arguments in a bundled program, and lets the process exit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-bundle-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/tools/schema-validation.ts", import.meta.url))],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [programTexts],
    logLevel: "silent",
  });
  const path = join(folder, "program.js");
  await writeFile(path, program);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [path], {
    timeout: 15_000,
  });
  expect(stderr).toBe("");
  const sentence =
    'The arguments do not fit the schema of send: `mail` must match format "email", but it is "x". Call it again with corrected arguments.';
  expect(stdout).toBe(`${sentence}\n${sentence}\n`);
});
