// What counts as used. `knip --production` sees only what users run, so code that only tests use is found.
const isProduction = process.argv.includes("--production");

export default {
  entry: [
    "src/{host,cli}/{start,main}.ts!",
    "src/mcp/mock/{start,mock-server}.ts!",
    "src/index.ts!",
    "src/agent.ts!",
    "rplugin/node/parley/*.{js,cjs,mjs}!",
    "scripts/*.mjs",
    "scripts/demo/*.mjs",
    "scripts/stubs/*.mjs",
    "bench/main.mjs",
    "bench/floor/*.mjs",
    "test/conformance/driver.ts",
    "test/**/*.test.ts",
    "test/live/*.live.ts",
    "test/soak/*.soak.ts",
    "examples/*.ts",
  ],
  project: [
    "src/**/*.ts!",
    "scripts/**/*.mjs",
    "bench/**/*.mjs",
    "examples/**/*.ts",
    "rplugin/**/*.{js,cjs,mjs}!",
    "test/**/*.{ts,mjs}",
    "!test/**/fixtures/**",
  ],
  ignoreDependencies: [
    "@biomejs/biome",
    "@johnnymorganz/stylua-bin",
    // It builds dist/ where somebody installs from source.
    ...(isProduction ? ["esbuild"] : []),
  ],
  // Of the system; tests that need them and do not find them say so.
  ignoreBinaries: isProduction ? [] : ["mkfifo", "bwrap"],
  // A function that a test calls and its own file needs is no dead code.
  ignoreExportsUsedInFile: isProduction || { interface: true, type: true },
};
