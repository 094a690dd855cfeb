/** What is asked before a server of a project starts: all that decides what runs or is sent, whatever it is called. */
import { expect, it } from "vitest";
import { launchLines } from "../../../src/app/servers/launch-lines.ts";
import { projectConsent } from "../../../src/app/servers/trust.ts";
import { createToolChanges } from "../../../src/app/tools/tool-changes.ts";
import { readEntries } from "../../../src/mcp/configured/entry.ts";

/** Every word of an entry that can be written, each value a text of its own. */
const stdio = {
  command: "the-command",
  args: ["the-argument"],
  env: { THE_VARIABLE: "the-value" },
  envFile: "the-file",
  envPass: ["THE_PASSED"],
  cwd: "the-folder",
  sandbox: { write: ["the-writable"] },
};
const remote = {
  url: "https://the-host/the-path",
  headers: { "the-header": "the-header-value" },
  bearer_token_env_var: "THE_BEARER",
  env_http_headers: { "the-other-header": "THE_HEADER_VARIABLE" },
};

const inputs = [
  { id: "the-input", prompt: "The question?", options: null, preset: null, isSecret: true },
];

function declared(entry: object) {
  const { entries, mistakes } = readEntries({ name: entry });
  expect(mistakes).toEqual([]);
  const [server] = entries;
  if (server === undefined) throw new Error("There is no entry.");
  return { entry: server, from: "the-place", project: "/project", inputs };
}

/** The texts in a value, its keys left out but where they are written by the project. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.values(value as object).flatMap(textsIn);
}

it.each([stdio, remote])("names everything that is written: %j", async (entry) => {
  const server = declared(entry);
  const sources = {
    environment: {},
    workspaceFolder: "/project",
    userHome: "/home",
    run: null,
    input: async () => "",
    refusal: () => null,
  };
  const { question } = await projectConsent(server, "/project", {
    sources,
    seen: createToolChanges().files,
  });
  const names = ["THE_VARIABLE", "the-header", "the-other-header"].filter((name) =>
    JSON.stringify(entry).includes(name),
  );
  for (const text of [...textsIn(entry), ...names, "the-place", "the-input", "The question?"]) {
    expect(question).toContain(text);
  }
});

it("the details of a call name which variables its server gets", () => {
  const lines = launchLines(declared(stdio)).join("\n");
  expect(lines).toContain("env: all of the-file");
  expect(lines).toContain("env: your THE_PASSED");
});
