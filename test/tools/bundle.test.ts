import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";

// Node and bundlers disagree about what an import of CommonJS brings, and ajv is CommonJS.
it("arguments are validated in a bundle as they are in the sources", async () => {
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
    logLevel: "silent",
  });
  const path = join(folder, "schema-validation.js");
  const { validateArguments } = await import(/* @vite-ignore */ pathToFileURL(path).href);
  const logged: string[] = [];
  for (const $schema of [undefined, "http://json-schema.org/draft-07/schema#"]) {
    const inputSchema = { $schema, properties: { mail: { format: "email", type: "string" } } };
    const tool = { name: "send", description: "", inputSchema, server: null };
    const sentence = await validateArguments(tool, '{"mail":"x"}', (text: string) =>
      logged.push(text),
    );
    expect(sentence).toContain("`mail` must match format");
  }
  expect(logged).toEqual([]);
});
