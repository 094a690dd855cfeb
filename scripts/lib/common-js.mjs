// Converts the ES modules that esbuild split into CommonJS: esbuild splits only ES modules, and V8 accepts cached code
// only for CommonJS.

/** Options of the split build: replacements for what only ES modules have. */
export const splitOptions = {
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "__address" },
  banner: {},
  // Node reads, checks and keeps the text at every start. Names are kept for readable stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
};

/** `module.import` comes from `src/system/start/load-program.ts`; Node's own loader neither has nor needs it. */
const start = `"use strict";
const __address = require("node:url").pathToFileURL(__filename).href;
const __import = module.import ?? ((address) => import(address));
const __load = async (name) => name.startsWith(".") ? require(name) : __import(name);`;

/**
 * Replaces `import()`: code from V8's cache cannot import, because it has lost its referrer. The replacement has the
 * same length, so that the source map stays valid.
 */
function importingLater(text) {
  return text.replace(/\bimport\(("[^"\\]+"|[\w$]+)\)/g, "__load($1)");
}

/**
 * Escapes non-ASCII characters: a pure ASCII text is read fastest and needs one byte per character instead of two.
 * esbuild leaves other characters in regular expressions.
 */
function inAscii(text) {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the files, `{ path, text }`, each with its source map if there is one. */
export async function asCommonJs(esbuild, files, { shortNames }) {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const made = files
    .filter(({ path }) => path.endsWith(".cjs"))
    .map(async ({ path, text }) => {
      const map = texts.get(`${path}.map`);
      const name = path.split("/").at(-1);
      const { code, map: newMap } = await esbuild.transform(withMap(importingLater(text), map), {
        format: "cjs",
        platform: "node",
        target: "node20",
        sourcefile: name,
        sourcemap: map === undefined ? false : "external",
        sourcesContent: false,
        minifyWhitespace: true,
        minifySyntax: true,
        minifyIdentifiers: shortNames,
        banner: start,
        logLevel: "silent",
      });
      if (map === undefined) return [{ path, text: inAscii(code) }];
      return [
        { path, text: `${inAscii(code)}//# sourceMappingURL=${name}.map\n` },
        { path: `${path}.map`, text: newMap },
      ];
    });
  return (await Promise.all(made)).flat();
}

function withMap(text, map) {
  if (map === undefined) return text;
  const inline = Buffer.from(map).toString("base64");
  const url = `data:application/json;base64,${inline}`;
  return text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, `\n//# sourceMappingURL=${url}\n`);
}
