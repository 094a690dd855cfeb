// `import text from "./x.ts?program"`: the program with that entry file, bundled into one string. A worker thread can
// start from a string as well as from a file, and a string is available wherever the importing module is: in dist/, in
// a user's own bundle, in a test.
import { dirname, join, relative } from "node:path";
import { projectRoot } from "./paths.mjs";

const suffix = /\?program$/;

/** Returns the program as one CommonJS text, and the files it was made from. */
async function programOf(esbuild, path) {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: projectRoot,
    entryPoints: [path],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "silent",
  });
  const files = Object.keys(metafile.inputs).map((input) => join(projectRoot, input));
  return { text: outputFiles[0].text, files };
}

/** The esbuild plugin. */
export const programTexts = {
  name: "programs as texts",
  setup(context) {
    const namespace = "program";
    context.onResolve({ filter: suffix }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path.replace(suffix, ""));
      // Relative to the root: file names must not reveal where they were built.
      return { path: relative(projectRoot, file).replaceAll("\\", "/"), namespace };
    });
    context.onLoad({ filter: /./, namespace }, async ({ path }) => {
      const { text, files } = await programOf(context.esbuild, join(projectRoot, path));
      return { contents: text, loader: "text", watchFiles: files };
    });
  },
};

/** The Vitest plugin. */
export function viteProgramTexts() {
  const prefix = "\0program:";
  return {
    name: "programs as texts",
    enforce: "pre",
    resolveId(source, importer) {
      if (!suffix.test(source) || importer === undefined) return null;
      return prefix + join(dirname(importer), source.replace(suffix, ""));
    },
    async load(id) {
      if (!id.startsWith(prefix)) return null;
      const { text, files } = await programOf(await import("esbuild"), id.slice(prefix.length));
      for (const file of files) this.addWatchFile(file);
      return `export default ${JSON.stringify(text)};`;
    },
  };
}
