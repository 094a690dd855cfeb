/** What the programs load at start-up: each package in this list slows down every start. */
import { describe, expect, it } from "vitest";
import { bundle } from "../../scripts/lib/bundle.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";

interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly {
    readonly kind: string;
    readonly external?: boolean;
    readonly path: string;
  }[];
}

type Outputs = Readonly<Record<string, Output>>;

/** The files that are loaded with this source file, without later imports, and the packages in them. */
function loadedWith(outputs: Outputs, source: string) {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith(source));
  const files = new Set(entry === undefined ? [] : [entry]);
  // Iterating over a set includes entries that are added meanwhile.
  for (const path of files) {
    for (const { kind, external, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && external !== true) files.add(imported);
    }
  }
  const inputs = [...files].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  const names = inputs.flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const ofNode = [...files].flatMap((path) =>
    (outputs[path]?.imports ?? []).flatMap(({ external, path: imported }) =>
      external === true ? [imported.replace(/^node:/, "")] : [],
    ),
  );
  return { files: files.size, inputs, packages: [...new Set(names)].toSorted(), ofNode };
}

describe("start-up", async () => {
  const built = await bundle(projectRoot, { forRelease: true });
  const outputs: Outputs = built.metafile.outputs ?? {};
  const spawning = [
    "cross-spawn",
    "isexe",
    "path-key",
    "shebang-command",
    "shebang-regex",
    "which",
  ];
  const both = ["eventsource-parser", "json5", "jsonc-parser", "yaml", "zod", ...spawning];
  const ofHost = ["@msgpack/msgpack", "neovim"];

  it.each([
    { program: "the command line", source: "src/cli/main.ts", packages: both },
    { program: "the host", source: "src/host/serve.ts", packages: [...both, ...ofHost] },
  ])("of $program loads only these packages, in few files", ({ source, packages }) => {
    const loaded = loadedWith(outputs, source);
    expect(loaded.packages).toEqual(packages.toSorted());
    expect(loaded.files).toBeGreaterThan(1);
    expect(loaded.files).toBeLessThanOrEqual(12);
    expect(loaded.ofNode).toContain("crypto");
    // Only requests need these; they take 3 MB and 20 ms.
    for (const name of ["http", "https", "tls", "zlib"]) expect(loaded.ofNode).not.toContain(name);
  });

  it("does not build the table of indents that jsonc-parser keeps", () => {
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
    expect(inputs.filter((path) => path.includes("string-intern"))).toEqual([]);
    expect(inputs).toContain("scripts/stubs/jsonc-indents.mjs");
  });

  it("does not load all of zod, which only tool files get", () => {
    const isWhole = (path: string) => path.endsWith("zod/index.cjs");
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
    expect(inputs.filter(isWhole)).toHaveLength(1);
    for (const source of ["src/cli/main.ts", "src/host/serve.ts"]) {
      expect(loadedWith(outputs, source).inputs.filter(isWhole)).toEqual([]);
    }
  });
});
