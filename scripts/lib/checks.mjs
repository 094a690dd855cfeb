// The static checks, each with the tool that runs it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkLuaModules } from "./lua-modules.mjs";
import { runLuacheck } from "./luacheck.mjs";
import { projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";

const luaPaths = ["lua", "plugin", "rplugin", "build.lua", "scripts", "test", "bench"];
const lua = luaPaths.filter((path) => existsSync(join(projectRoot, path)));
const stylua = ["@johnnymorganz/stylua-bin/run.js", "--glob", "**/*.lua"];
const biome = ["@biomejs/biome/bin/biome", "check", "--diagnostic-level=warn"];

function staticChecks(neovim, options) {
  return [
    { name: "types", run: () => runTool("typescript/bin/tsc", "--noEmit") },
    { name: "lint", run: () => runTool(...biome, "--error-on-warnings") },
    { name: "unused code", run: () => runTool("knip/bin/knip.js", "--no-progress") },
    // Code that only tests use belongs in the tests, or is deleted.
    {
      name: "code of tests alone",
      run: () => runTool("knip/bin/knip.js", "--production", "--no-progress"),
    },
    { name: "generated files", run: () => runScript("docs.mjs", "--check") },
    { name: "Lua annotations", run: checkLuaModules },
    { name: "Lua format", run: () => runTool(...stylua, "--check", "--", ...lua) },
    { name: "Lua lint", run: async () => runLuacheck(await neovim, lua, options) },
  ];
}

/**
 * Runs all checks, two at a time, and reports each as soon as it is done. `neovim`, or a promise of it, runs the Lua
 * lint; `mayFetch` allows downloading luacheck.
 */
export async function runStaticChecks(neovim, report, { mayFetch = true } = {}) {
  const queue = staticChecks(neovim, { mayFetch });
  const work = async () => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      report({ name: check.name, ...(await check.run()) });
    }
  };
  await Promise.all([work(), work()]);
}

/** Formats every file, applies the linter's safe fixes, and returns the results. */
export async function format() {
  return [await runTool(...biome, "--write"), await runTool(...stylua, "--", ...lua)];
}

function runScript(name, ...args) {
  return run(process.execPath, [join(projectRoot, "scripts", name), ...args], { cwd: projectRoot });
}

/** Starts a tool by its file, because npm's launchers take longer than some of the tools. */
function runTool(path, ...args) {
  const file = join(projectRoot, "node_modules", path);
  return run(process.execPath, [file, ...args], { cwd: projectRoot });
}
