// `npm run conformance` runs the public MCP conformance suite against our client and writes
// doc/conformance.md. `npm run conformance -- auth/` runs only the scenarios whose names contain this text
// and writes nothing.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { prepareSuite, runScenario, scenariosOf } from "./lib/conformance.mjs";
import { describeResults, unexplained } from "./lib/conformance-report.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { runMain, say } from "./lib/say.mjs";

await runMain(async (words) => {
  await installDependencies();
  const suite = await prepareSuite();
  const results = [];
  const all = await scenariosOf(suite);
  const chosen = all.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  if (chosen.length === 0) throw new Error(`No scenario has ${words.join(" or ")} in its name.`);
  // Sequentially, because some scenarios measure time.
  for (const scenario of chosen) {
    const result = await runScenario(suite, scenario);
    say(`${scenario.revision} ${scenario.name}: ${result.passed ? "passed" : "FAILED"}`);
    if (!result.passed) say(result.details);
    results.push({ ...scenario, ...result });
  }
  if (words.length === 0) {
    const path = join(projectRoot, "doc", "conformance.md");
    await writeFile(path, describeResults(suite, results));
    say(`Written to ${path}.`);
  }
  return unexplained(results).length > 0 ? 1 : 0;
});
