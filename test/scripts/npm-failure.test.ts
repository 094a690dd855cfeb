/** When npm fails, its own reason is reported in one sentence. */
import { expect, it } from "vitest";
import { npmFailure } from "../../scripts/lib/deps.mjs";

it.each([
  [
    [
      "npm warn Unknown user config",
      "npm error code ECONNREFUSED",
      "npm error errno ECONNREFUSED",
      "npm error FetchError: request to http://127.0.0.1:9/zod failed, reason: connect ECONNREFUSED 127.0.0.1:9",
      "npm error     at ClientRequest.<anonymous> (x.js:130:14)",
      "npm error A complete log of this run can be found in: /home/me/.npm/_logs/x.log",
    ],
    "request to http://127.0.0.1:9/zod failed, reason: connect ECONNREFUSED 127.0.0.1:9",
  ],
  [
    [
      "npm error code EBADENGINE",
      "npm error engine Not compatible with your version of node/npm: parley-nvim@0.1.0",
    ],
    "Not compatible with your version of node/npm",
  ],
  [["npm ERR! code ENOSPC", "npm ERR! nospc There appears to be insufficient space"], "ENOSPC"],
])("a failure of npm is reported with its reason in one sentence (%#)", (lines, expected) => {
  const said = npmFailure(1, lines.join("\n"));
  expect(said).toContain(expected);
  expect(said).not.toContain("complete log");
  expect(said.split("\n")).toHaveLength(1);
});

it("a missing npm is reported with the places that were searched", () => {
  expect(npmFailure(127, "")).toMatch(/^npm is neither beside .*node.* nor on PATH/);
});
