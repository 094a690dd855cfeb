// `npm run dev` rebuilds dist/ whenever a source changes and restarts the host of a running Neovim: the one this
// terminal belongs to, the one at `-- ADDRESS` (`:echo v:servername`), or all of the user's that run this checkout.
import { watch } from "node:fs";
import { join } from "node:path";
import { build, buildWhenStale } from "./lib/build.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { restartHosts } from "./lib/running-neovims.mjs";
import { runMain, say } from "./lib/say.mjs";

/** Milliseconds to wait for more changes: editors write in several steps, and switching branches changes many files. */
const settleMs = 150;

await runMain(async ([address]) => {
  await installDependencies();
  await buildWhenStale();
  await tell(address);
  let timer;
  let work = Promise.resolve();
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(() => rebuild(address));
    }, settleMs);
  };
  watch(join(projectRoot, "src"), { recursive: true }, changed);
  say("Watching src/; Ctrl-C ends it. What changes in lua/ is read by the next Neovim.");
  await new Promise(() => {});
});

async function rebuild(address) {
  const begun = performance.now();
  try {
    await build();
  } catch (error) {
    return say(error.message);
  }
  say(`Built in ${Math.round(performance.now() - begun)} ms.`);
  await tell(address);
}

async function tell(address) {
  const restarted = await restartHosts(address);
  for (const { name, said } of restarted) say(`${name}: ${said}`);
  if (restarted.length === 0)
    say("No running Neovim has this checkout loaded; the next one has the new build.");
}
