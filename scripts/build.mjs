// Builds dist/. `--production` is for users' machines: it installs without the tools of development
// and leaves the types out.
import { build } from "./lib/build.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { runMain, say } from "./lib/say.mjs";

await runMain(async (args) => {
  const production = args.includes("--production");
  await installDependencies({ production });
  await build({ types: !production });
  say("Built dist/.");
});
