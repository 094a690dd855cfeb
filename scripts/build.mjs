// Builds dist/. `--production` is for users' machines: it installs no development dependencies and builds
// no type declarations.
import { build } from "./lib/build.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { runMain, say } from "./lib/say.mjs";

await runMain(async (args) => {
  const production = args.includes("--production");
  await installDependencies({ production });
  await build({ types: !production });
  say("Built dist/.");
});
