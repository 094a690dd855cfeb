// Builds the contents of dist/ in memory: which code goes into which file.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { asCommonJs, splitOptions } from "./common-js.mjs";
import { projectRoot } from "./paths.mjs";
import { programTexts } from "./program-text.mjs";

/** The library's two entry points. */
const library = { index: "src/index.ts", agent: "src/agent.ts" };
/** The programs, which share files. */
const programs = {
  host: "src/host/main.ts",
  cli: "src/cli/main.ts",
  "mock-server": "src/mcp/mock/mock-server.ts",
};
/** The script that loads the program of that name, a single file each. */
const starts = {
  host: "src/host/start.ts",
  cli: "src/cli/start.ts",
  "mock-server": "src/mcp/mock/start.ts",
};

export const sourcesOfEntries = [library, programs, starts].flatMap(Object.values);

export const executables = new Set(["cli.js", "mock-server.js"]);

/** What the host and the command line load before they do anything, while the user waits. */
const programStarts = ["src/host/serve.ts", programs.cli];

// Bundled CommonJS loads Node's modules with `require`, which an ES module does not have.
export const requireForBundled =
  'import { createRequire as __createRequire } from "node:module"; ' +
  "const require = __createRequire(import.meta.url);";

/**
 * Returns all files of dist/ as `{ path, text }` by their path in dist/, and esbuild's metafile. `forRelease` leaves
 * out what only developers read.
 */
export async function bundle(root, { forRelease = false } = {}) {
  const esbuild = await import("esbuild").catch(() => {
    throw new Error("Nothing was built: esbuild is not installed. Run `npm ci` first.");
  });
  const common = { ...bundleOptions(root), ...(forRelease ? releaseOptions : {}) };
  const build = (options) =>
    esbuild.build(options).catch((error) => {
      const reasons = (error.errors ?? []).map(describeProblem).join("\n");
      throw new Error(`The build failed and the old dist/ was kept.\n${reasons || error.message}`);
    });
  const buildSplit = async (entryPoints, loadedAtStart, more = {}) => {
    const options = { ...common, ...more, entryPoints };
    const plugins = [...common.plugins, ...(await coreOf(root, build, options, loadedAtStart))];
    // SDKs are loaded with import(), and splitting makes each a separate file that is read on first use.
    return outputsOf(root, await build({ ...options, plugins, splitting: true }));
  };
  const [ofLibrary, ofPrograms, ofStarts] = await Promise.all([
    buildSplit(library, Object.values(library)),
    buildSplit(programs, programStarts, splitOptions),
    build({ ...common, entryPoints: starts }).then((result) => outputsOf(root, result)),
  ]);
  const programFiles = await asCommonJs(esbuild, ofPrograms.files, { shortNames: forRelease });
  const parts = [ofLibrary, ofPrograms, ofStarts];
  return {
    files: [...ofLibrary.files, ...programFiles, ...ofStarts.files].map(startWithNode),
    metafile: {
      inputs: Object.assign({}, ...parts.map(({ inputs }) => inputs)),
      outputs: withPrograms(Object.assign({}, ...parts.map(({ outputs }) => outputs))),
    },
  };
}

/** Returns the files by their path in dist/, and esbuild's metafile. */
function outputsOf(root, { outputFiles, metafile }) {
  const files = outputFiles.map(({ path, text }) => ({
    path: relative(join(root, "dist"), path).replaceAll("\\", "/"),
    text,
  }));
  const inputs = Object.entries(metafile.inputs).filter(([path]) => !madeHere.test(path));
  return { files, inputs: Object.fromEntries(inputs), outputs: metafile.outputs };
}

/** Adds the imports of programs by their start scripts, which esbuild cannot see. */
function withPrograms(outputs) {
  const loading = Object.keys(programs).map((name) => {
    const path = `dist/${name}.js`;
    const program = { path: `dist/${name}.cjs`, kind: "require-call" };
    return [path, { ...outputs[path], imports: [...outputs[path].imports, program] }];
  });
  return { ...outputs, ...Object.fromEntries(loading) };
}

/** The namespaces of our plugins in esbuild's metafile. */
const madeHere = /^(?:later|core|program):/;

const releaseOptions = {
  minify: true,
  sourcemap: false,
  // The licence file has each of them once.
  legalComments: "none",
  banner: { js: requireForBundled },
};

/** Adds a shebang line to an executable and moves its source map down by one line. */
function startWithNode({ path, text }) {
  if (executables.has(path)) return { path, text: `#!/usr/bin/env node\n${text}` };
  if (!executables.has(path.replace(/\.map$/, ""))) return { path, text };
  const map = JSON.parse(text);
  return { path, text: JSON.stringify({ ...map, mappings: `;${map.mappings}` }) };
}

/** Returns the plugin that puts the modules of every start into few files; none when an entry is missing. */
async function coreOf(root, build, options, entries) {
  if (!entries.every((path) => existsSync(join(root, path)))) return [];
  const { metafile } = await build({
    ...options,
    outExtension: {},
    sourcemap: false,
    entryPoints: entries,
    plugins: [...options.plugins, withoutLater],
  });
  const [first, ...others] = Object.values(metafile.outputs).map(({ inputs }) => inputs);
  const core = Object.keys(first).filter(
    (path) => path.startsWith("src/") && others.every((inputs) => path in inputs),
  );
  return [withCore(root, core)];
}

const withoutLater = {
  name: "without what is imported later",
  setup(context) {
    context.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/**
 * Puts the modules that every start loads into few files. esbuild makes a file for each set of entries that need a
 * module, and each `import()` is an entry: sixty files, each found, read and linked separately. Making every `import()`
 * depend on the core, which is loaded by then, means that the same set of entries needs the whole core.
 */
function withCore(root, core) {
  const namespace = "later";
  return {
    name: "few files for what every start loads",
    setup(context) {
      context.onResolve({ filter: /^\./ }, async ({ kind, path, pluginData, ...from }) => {
        if (kind !== "dynamic-import" || pluginData === namespace) return undefined;
        if (from.importer.includes("node_modules")) return undefined;
        const resolved = await context.resolve(path, { ...from, kind, pluginData: namespace });
        if (resolved.errors.length > 0) return resolved;
        // Relative to the root: file names must not reveal where they were built.
        return { path: relative(root, resolved.path).replaceAll("\\", "/"), namespace };
      });
      context.onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: `import "core:start";\nexport * from ${JSON.stringify(`./${path}`)};`,
        resolveDir: root,
      }));
      context.onResolve({ filter: /^core:start$/ }, ({ path }) => ({ path, namespace: "core" }));
      context.onLoad({ filter: /./, namespace: "core" }, () => ({
        contents: core.map((path) => `import ${JSON.stringify(`./${path}`)};`).join("\n"),
        resolveDir: root,
      }));
    },
  };
}

const stubs = join(projectRoot, "scripts", "stubs");

const inEnglish = {
  name: "zod in English",
  setup(context) {
    context.onResolve({ filter: /\/locales\/index\.c?js$/ }, ({ importer }) =>
      /node_modules.zod./.test(importer) ? { path: join(stubs, "zod-locales.mjs") } : undefined,
    );
  },
};

const withoutIndents = {
  name: "jsonc-parser without its indents",
  setup(context) {
    context.onResolve({ filter: /\/string-intern$/ }, ({ importer }) =>
      /node_modules.jsonc-parser/.test(importer)
        ? { path: join(stubs, "jsonc-indents.mjs") }
        : undefined,
    );
  },
};

/**
 * Users' tool files get all of zod, and the mock server's SDK needs it too. They get the CommonJS build as a separate
 * copy, so that unused parts of the other copy can be left out.
 */
const wholeZod = {
  name: "whole zod where it is asked for",
  setup(context) {
    context.onResolve({ filter: /^zod(?:\/|$)/ }, ({ path, importer, resolveDir, pluginData }) => {
      if (!wantsWholeZod.test(importer) || pluginData === "whole") return undefined;
      return context.resolve(path, { resolveDir, kind: "require-call", pluginData: "whole" });
    });
  },
};

/** The model SDKs send their requests through `src/net/`, which needs only this part of `fetch`. */
const lightFetchClasses = {
  name: "light headers for the SDKs of models",
  setup(context) {
    const ofSdks = /node_modules.(?:openai|@anthropic-ai.sdk).+\.mjs$/;
    context.onLoad({ filter: ofSdks }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      // A source that creates streams itself uses Node's.
      const makesStreams = source.includes("new ReadableStream");
      const text = makesStreams
        ? source
        : source.replaceAll("globalThis.ReadableStream", "ReadableStream");
      const used = ["Headers", "FormData", ...(makesStreams ? [] : ["ReadableStream"])].filter(
        (name) => new RegExp(`\\b(?:new|instanceof) ${name}\\b`).test(text),
      );
      if (used.length === 0) return undefined;
      const from = JSON.stringify(join(stubs, "fetch-classes.mjs"));
      return { contents: `import { ${used.join(", ")} } from ${from};${text}` };
    });
  },
};

const wantsWholeZod =
  /load-tools\.ts$|mock-server\.ts$|@modelcontextprotocol.sdk.|node_modules.zod-to-json-schema./;

function bundleOptions(root) {
  return {
    absWorkingDir: root,
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "linked",
    // Where there are source maps, the sources are next to dist/.
    sourcesContent: false,
    // The ES builds of packages are smaller and load faster.
    mainFields: ["module", "main"],
    alias: { winston: join(stubs, "winston.mjs") },
    plugins: [programTexts, inEnglish, withoutIndents, wholeZod, lightFetchClasses],
    // Tests import some of these files, and the compiler misreads the bundled undici.
    banner: { js: `// @ts-nocheck\n${requireForBundled}` },
    logLevel: "silent",
  };
}

function describeProblem({ text, location }) {
  return location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;
}
