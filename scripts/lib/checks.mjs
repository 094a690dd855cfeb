import { existsSync } from "node:fs";
import { join } from "node:path";
import { runLuacheck } from "./luacheck.mjs";
import { projectRoot } from "./paths.mjs";
import { run } from "./run.mjs";

const luaPaths = ["lua", "plugin", "rplugin", "build.lua", "scripts", "test", "bench"];

/** The checks that read code and do not run it. */
function staticChecks(neovim) {
  const lua = luaPaths.filter((path) => existsSync(join(projectRoot, path)));
  return [
    { name: "types", run: () => runTool("typescript/bin/tsc", "--noEmit") },
    {
      name: "lint",
      run: () =>
        runTool(
          "@biomejs/biome/bin/biome",
          "check",
          "--diagnostic-level=warn",
          "--error-on-warnings",
        ),
    },
    { name: "unused code", run: () => runTool("knip/bin/knip.js", "--no-progress") },
    {
      name: "Lua format",
      run: () => runTool(stylua, "--check", "--glob", "**/*.lua", "--", ...lua),
    },
    { name: "Lua lint", run: () => runLuacheck(neovim, lua) },
  ];
}

const stylua = "@johnnymorganz/stylua-bin/run.js";

/** Runs all checks, two at a time, and reports each as soon as it is done. */
export async function runStaticChecks(neovim, report) {
  const queue = staticChecks(neovim);
  const work = async () => {
    for (let check = queue.shift(); check; check = queue.shift()) {
      report({ name: check.name, ...(await check.run()) });
    }
  };
  await Promise.all([work(), work()]);
}

/** Starts a tool by its file: npm's own starters cost more than some of the tools. */
function runTool(path, ...args) {
  const file = join(projectRoot, "node_modules", path);
  return run(process.execPath, [file, ...args], { cwd: projectRoot });
}
