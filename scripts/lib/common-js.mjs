// Makes CommonJS of the ES modules that esbuild split: it splits no other, and V8 takes compiled code for no ES module.

/** For the build that is split: what an ES module of the program's files may say in place of what only these have. */
export const splitOptions = {
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "__address" },
  banner: {},
  // Node reads, checks and keeps the text at every start. Names stay, for those who read a stack.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
};

/** `module.import` is of `src/system/start/load-program.ts`; Node's own loader has none and needs none. */
const start = `"use strict";
const __address = require("node:url").pathToFileURL(__filename).href;
const __import = module.import ?? ((address) => import(address));
const __load = async (name) => name.startsWith(".") ? require(name) : __import(name);`;

/**
 * Code that V8 compiled at an earlier start can import nothing: it has lost who asks. The new word is as long as the
 * old, so that the source map need not know.
 */
function importingLater(text) {
  return text.replace(/\bimport\(("[^"\\]+"|[\w$]+)\)/g, "__load($1)");
}

/**
 * A text of ASCII alone is read fastest and needs a byte for each letter, not two. esbuild leaves other letters in
 * regular expressions.
 */
function inAscii(text) {
  return text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The files, `{ path, text }`, each with its source map where there is one. */
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
