// `npm run nodes -- 26 net` runs `npm test -- net` under Node 26, from the npm registry: what CI does for every version.
// Without a version it takes each of those that Parley is tried on. The folder .cache/nodes keeps them.
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { npmFailure, runNpm } from "./lib/deps.mjs";
import { cacheFolder, projectRoot } from "./lib/paths.mjs";
import { run, runLoudly } from "./lib/run.mjs";
import { runMain, say } from "./lib/say.mjs";

const supported = join(projectRoot, "scripts", "supported.json");
const { testedNodes } = JSON.parse(readFileSync(supported, "utf8"));

/** As the packages of the npm registry are called that hold nothing but Node. */
const systemName = process.platform === "win32" ? "win" : process.platform;
const packageName = `node-${systemName}-${process.arch}`;

await runMain(async (args) => {
  const isVersion = (argument) => /^\d+(\.\d+)*$/.test(argument);
  const versions = args.filter(isVersion);
  const filters = args.filter((argument) => !isVersion(argument));
  let worst = 0;
  for (const version of versions.length > 0 ? versions : testedNodes.map(String)) {
    const node = await fetchNode(version);
    say(`The tests run under Node ${(await versionOf(node)) ?? "that does not start"}.`);
    const code = await runLoudly(node, [join(projectRoot, "scripts", "test.mjs"), ...filters], {
      cwd: projectRoot,
      // Programs that tests start by name are of this Node too.
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
      stdio: "inherit",
    });
    worst = Math.max(worst, code);
  }
  return worst;
});

async function fetchNode(version) {
  const folder = join(cacheFolder, "nodes", version);
  const name = process.platform === "win32" ? "node.exe" : "node";
  const path = join(folder, "node_modules", packageName, "bin", name);
  if (await versionOf(path)) return path;
  await mkdir(folder, { recursive: true });
  const flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const install = ["install", ...flags, "--prefix", folder, `${packageName}@${version}`];
  const { code, stderr } = await runNpm(install);
  if (code !== 0) throw new Error(npmFailure(code, stderr));
  return path;
}

/** Undefined where it does not start. */
async function versionOf(node) {
  const { code, stdout } = await run(node, ["--version"]);
  return code === 0 ? stdout.trim() : undefined;
}
