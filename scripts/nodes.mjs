// `npm run nodes -- 26 net` runs `npm test -- net` under Node 26 from the npm registry, as CI does for every version.
// Without a version it uses all versions that Parley is tested on. Node is kept in .cache/nodes.
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fetchNode, versionOf } from "./lib/nodes.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { runLoudly } from "./lib/run.mjs";
import { runMain, say } from "./lib/say.mjs";

const supported = join(projectRoot, "scripts", "supported.json");
const { testedNodes } = JSON.parse(readFileSync(supported, "utf8"));

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
      // So that programs which tests start by name use this Node too.
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
      stdio: "inherit",
    });
    worst = Math.max(worst, code);
  }
  return worst;
});
