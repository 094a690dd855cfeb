// `npm run bench` measures the budgets of the architecture and prints them as a table.
import { join } from "node:path";
import { buildWhenStale } from "./lib/build.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { neovimEnvironment, neovimsForTests } from "./lib/nvim.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { runLoudly } from "./lib/run.mjs";
import { runMain, say } from "./lib/say.mjs";

await runMain(async (args) => {
  await installDependencies();
  await buildWhenStale();
  const { neovims, missing } = await neovimsForTests();
  for (const { version, reason } of missing) say(`Neovim ${version} is left out: ${reason}`);
  return runLoudly(process.execPath, [join(projectRoot, "bench", "main.mjs"), ...args], {
    cwd: projectRoot,
    env: neovimEnvironment({ PARLEY_TEST_NVIMS: JSON.stringify(neovims) }),
    stdio: "inherit",
  });
});
