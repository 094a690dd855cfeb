// `npm run demo` shows the main workflow on a sample chat, offline: in Neovim when it runs in a terminal,
// otherwise (or with `-- --headless`) by pressing the same keys in a headless Neovim.
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { buildWhenStale } from "./lib/build.mjs";
import { demoArguments, prepareDemo } from "./lib/demo-folder.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { findNeovim } from "./lib/nvim.mjs";
import { runMain, say } from "./lib/say.mjs";

await runMain(async (args) => {
  await installDependencies();
  await buildWhenStale();
  const neovim = await findNeovim();
  const inTerminal = process.stdin.isTTY && process.stdout.isTTY && !args.includes("--headless");
  return inTerminal ? openDemo(neovim) : driveDemo(neovim);
});

async function openDemo(neovim) {
  const { chat, env } = await prepareDemo();
  const options = { env, stdio: "inherit" };
  const code = await new Promise((resolve, reject) => {
    const child = spawn(neovim.path, [...demoArguments, chat], options);
    child.on("error", reject);
    child.on("close", (exitCode) => resolve(exitCode ?? 1));
  });
  say(`The chat is kept in ${chat}`);
  return code;
}

async function driveDemo(neovim) {
  // Imported now, because its dependencies have only just been installed.
  const { respondAndApprove } = await import("./demo/headless.mjs");
  const demo = await prepareDemo();
  try {
    process.stdout.write(await respondAndApprove(neovim, demo));
    return 0;
  } finally {
    await rm(demo.folder, { recursive: true, force: true });
  }
}
