import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

interface Room {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
}

const core = ["shared", "transcript", "conversation", "tools"];
const application = [...core, "net", "system", "providers", "mcp", "library", "app"];

/** What each room of src/ may import besides itself. Node's own modules count as the package `node`. */
const rooms: Record<string, Room> = {
  // Hashing is a pure computation.
  shared: { rooms: [], packages: ["node:crypto"] },
  // Headers are YAML.
  transcript: { rooms: ["shared"], packages: ["yaml"] },
  // The table of options is written with zod.
  conversation: { rooms: ["shared", "transcript"], packages: ["node:crypto", "zod"] },
  tools: {
    rooms: ["shared", "transcript", "conversation"],
    // Validation against a server's schema runs in a worker thread, which is terminated when it takes too long.
    packages: ["zod", "ajv", "ajv-formats", "node:worker_threads"],
  },
  net: { rooms: ["shared"], packages: ["node", "undici"] },
  system: { rooms: [], packages: ["node", "cross-spawn"] },
  providers: {
    rooms: [...core, "net", "system"],
    packages: ["node", "zod", "openai", "@anthropic-ai/sdk", "eventsource-parser", "jsonrepair"],
  },
  mcp: {
    rooms: [...core, "net", "system"],
    packages: [
      "node",
      "zod",
      "jsonc-parser",
      "json5",
      "smol-toml",
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/sdk",
    ],
  },
  app: {
    rooms: [...core, "net", "system", "providers", "mcp", "library"],
    packages: ["node", "zod", "diff", "markdown-it"],
  },
  library: { rooms: [...core, "net", "system", "providers", "mcp"], packages: ["node", "zod"] },
  host: { rooms: application, packages: ["node", "zod", "neovim"] },
  cli: { rooms: application, packages: ["node", "zod"] },
};

interface Import {
  readonly file: string;
  readonly specifier: string;
}

describe("the source files", () => {
  const files = sourceFiles();
  const imports = files.flatMap((file) =>
    readImports(readFileSync(join(root, file), "utf8")).map((specifier) => ({ file, specifier })),
  );

  it("are found, with their imports", () => {
    expect(files.length).toBeGreaterThan(5);
    expect(imports.length).toBeGreaterThan(5);
  });

  it("import only rooms and packages that their room may import", () => {
    expect(imports.flatMap(violation)).toEqual([]);
  });

  it("call mkdir in one file only, because Node's recursive mkdir never returns in some folders", () => {
    const makers = files.filter((file) => /\bmkdir/.test(readFileSync(join(root, file), "utf8")));
    expect(makers).toEqual([posix.join("src", "system", "replace.ts")]);
  });

  it("keep the library's entry points free of app, host and cli", () => {
    const rooms = imports
      .filter(({ file }) => file === "src/index.ts" || file === "src/agent.ts")
      .map(({ file, specifier }) => roomOf(resolve(file, specifier)));
    expect(rooms).toContain("library");
    expect(rooms.filter((room) => /^(app|host|cli)$/.test(room ?? ""))).toEqual([]);
  });

  it("form no import cycle", () => {
    expect(findCycle(imports)).toBeUndefined();
  });

  it("form no import cycle between the parts of a folder", () => {
    const folders = new Set(files.flatMap(foldersOf));
    const cycles = [...folders].map((folder) => findCycle(betweenParts(imports, folder)));
    expect(folders.size).toBeGreaterThan(10);
    expect(cycles.filter(Boolean)).toEqual([]);
  });

  it("are in folders with at most twenty entries", () => {
    const folders = [...new Set(files.flatMap(withFolders))].map((path) => posix.dirname(path));
    const entriesIn = (folder: string) => folders.filter((name) => name === folder).length;
    expect([...new Set(folders)].filter((folder) => entriesIn(folder) > 20)).toEqual([]);
  });
});

describe("reading imports", () => {
  it("finds every form of import and ignores comments", () => {
    const text = [
      'import { a } from "./a.ts";',
      "import type {\n  B,\n} from '../b.ts';",
      'import "./c.ts";',
      'export * from "./d.ts";',
      'const e = await import("./e.ts");',
      'type F = import("./f.ts").F;',
      '// import "./comment.ts";',
      '/* import "./comment.ts"; */',
    ].join("\n");
    expect(readImports(text)).toEqual([
      ...["./a.ts", "../b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts"],
    ]);
  });

  it("reports an import of a room or package that the room may not import", () => {
    const from = (file: string, specifier: string) => violation({ file, specifier }).length > 0;
    expect(from("src/transcript/parse.ts", "../conversation/types.ts")).toBe(true);
    expect(from("src/transcript/parse.ts", "node:fs")).toBe(true);
    expect(from("src/conversation/turn/chat.ts", "node:fs")).toBe(true);
    expect(from("src/conversation/turn/chat.ts", "node:crypto")).toBe(false);
    expect(from("src/mcp/names.ts", "../providers/failures.ts")).toBe(true);
    expect(from("src/host/main.ts", "../cli/main.ts")).toBe(true);
    expect(from("src/cli/main.ts", "neovim")).toBe(true);
    expect(from("src/app/wire.ts", "openai/core")).toBe(true);
    expect(from("src/elsewhere/new.ts", "zod")).toBe(true);
    expect(from("src/providers/openai-chat/openai-chat.ts", "openai/core")).toBe(false);
    expect(from("src/host/main.ts", "../app/wire.ts")).toBe(false);
    expect(from("src/index.ts", "openai")).toBe(false);
  });

  it("finds a cycle between two folders whose files form none", () => {
    const imports = [
      { file: "src/a/one.ts", specifier: "../b/one.ts" },
      { file: "src/b/two.ts", specifier: "../a/two.ts" },
    ];
    expect(findCycle(imports)).toBeUndefined();
    expect(findCycle(betweenParts(imports, "src"))).toEqual(["src/a", "src/b", "src/a"]);
    expect(betweenParts(imports, "src/a")).toEqual([]);
  });

  it("finds a cycle", () => {
    const cycle = [
      { file: "src/a.ts", specifier: "./b.ts" },
      { file: "src/b.ts", specifier: "./c.ts" },
      { file: "src/c.ts", specifier: "./b.ts" },
    ];
    expect(findCycle(cycle)).toEqual(["src/b.ts", "src/c.ts", "src/b.ts"]);
    expect(findCycle(cycle.slice(0, 2))).toBeUndefined();
  });
});

function sourceFiles(): string[] {
  const entries = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const paths = entries.map((path) => `src/${path.replaceAll("\\", "/")}`);
  return paths.filter((path) => path.endsWith(".ts"));
}

function readImports(text: string): string[] {
  const code = text.replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  const pattern = /(?:\bfrom|^\s*import|\bimport\()\s*["']([^"'\n]+)["']/gm;
  return [...code.matchAll(pattern)].map((match) => match[1] ?? "");
}

function violation({ file, specifier }: Import): string[] {
  const room = roomOf(file);
  // src/index.ts is the public entry point, above all rooms.
  if (room === undefined) return [];
  const allowed = rooms[room];
  if (!allowed) return [`${file}: the room src/${room} has no rule in this test`];
  if (specifier.startsWith(".")) {
    const target = roomOf(resolve(file, specifier));
    const isFine = target === room || (target !== undefined && allowed.rooms.includes(target));
    return isFine ? [] : [`${file} imports ${specifier}`];
  }
  const names = [specifier, packageOf(specifier)];
  const isFine = names.some((name) => allowed.packages.includes(name));
  return isFine ? [] : [`${file} imports ${specifier}`];
}

/** The folder directly under src/, or undefined for a file that lies in src/ itself. */
function roomOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(file)?.[1];
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return "node";
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

function resolve(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier);
}

/** `src/a/b.ts` → `src`, `src/a`. */
function foldersOf(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function withFolders(file: string): string[] {
  return [...foldersOf(file).slice(1), file];
}

/** The imports between the entries of a folder; a subfolder counts as one entry. */
function betweenParts(imports: readonly Import[], folder: string): Import[] {
  const partOf = (file: string) =>
    file.startsWith(`${folder}/`)
      ? `${folder}/${file.slice(folder.length + 1).split("/")[0]}`
      : undefined;
  return imports.flatMap(({ file, specifier }) => {
    if (!specifier.startsWith(".")) return [];
    const [from, to] = [partOf(file), partOf(resolve(file, specifier))];
    if (from === undefined || to === undefined || from === to) return [];
    return [{ file: from, specifier: `./${posix.basename(to)}` }];
  });
}

function findCycle(imports: readonly Import[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { file, specifier } of imports) {
    if (!specifier.startsWith(".")) continue;
    targets.set(file, [...(targets.get(file) ?? []), resolve(file, specifier)]);
  }
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const target of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
