// `npm run soak` runs tests that take too long for `npm test`: random sessions, kills, damaged folders, options,
// screens, commands, servers, vendors, `parley` in a shell, folders of chats and memory.
// `npm run soak -- sessions` runs one of them; PARLEY_SOAK_SEEDS=7-7 selects sessions. Failures are also written to
// .cache/soak/failures.log.
import { join } from "node:path";
import { buildWhenStale } from "./lib/build.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { neovimEnvironment, neovimsForTests } from "./lib/nvim.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { runLoudly } from "./lib/run.mjs";
import { runMain, say } from "./lib/say.mjs";

await runMain(async (filters) => {
  await installDependencies();
  await buildWhenStale();
  const { neovims, missing } = await neovimsForTests();
  for (const { version, reason } of missing) say(`Neovim ${version} is left out: ${reason}`);
  return runLoudly(
    process.execPath,
    [
      join(projectRoot, "node_modules", "vitest", "vitest.mjs"),
      ...["run", "--config", join(projectRoot, "vitest.soak.config.ts"), ...filters],
    ],
    {
      cwd: projectRoot,
      env: neovimEnvironment({ PARLEY_TEST_NVIMS: JSON.stringify(neovims) }),
      stdio: "inherit",
    },
  );
});
