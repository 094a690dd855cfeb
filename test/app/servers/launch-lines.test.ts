// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
import { expect, it } from "vitest";
import type { DeclaredServer } from "../../../src/app/servers/declared-servers.ts";
import { launchLines } from "../../../src/app/servers/launch-lines.ts";
import { readEntries } from "../../../src/mcp/configured/entry.ts";

function lines(entry: object): readonly string[] {
  const [read] = readEntries({ x: entry }).entries;
  if (read === undefined) throw new Error("no such entry");
  const server: DeclaredServer = { entry: read, inputs: [], from: "/a/mcp.json", project: null };
  return launchLines(server);
}

it("shows a command with its folder, and no secrets", () => {
  const args = [
    "-y",
    "two words\u202e",
    "--token",
    "t0p",
    "--api-key=s3cret",
    "Authorization: Bearer abc",
    "sk-123456",
    "${TOKEN}",
    "postgres://me:pw@host/db",
    "--verbose",
    "plain",
  ];
  expect(
    lines({ command: "run", args, cwd: "/w", env: { A: "v4lue", B: "${B}", C: "${C:-x}" } }),
  ).toEqual([
    "from: /a/mcp.json",
    'command: run -y "two words\\u{202e}" --token [hidden] --api-key=[hidden] Authorization:[hidden] [hidden] ${TOKEN} postgres://[hidden]@host/db --verbose plain',
    "in: /w",
    "env: A=[hidden]",
    "env: B=${B}",
    "env: C=[hidden]",
  ]);
});

it("shows the sandbox that a server runs in", () => {
  const sandbox = { write: ["${workspaceFolder}", "~/notes"], net: false };
  expect(lines({ command: "run", sandbox }).at(-1)).toBe(
    "sandbox: it can write only below ${workspaceFolder}, ~/notes and has no network",
  );
  expect(lines({ command: "run", sandbox: { net: true } }).at(-1)).toBe(
    "sandbox: it can write nothing but /tmp and has a network",
  );
  const wrong = [{ sandbox: true }, { sandbox: { wirte: ["."] } }, { sandbox: { net: "no" } }];
  const { entries, mistakes } = readEntries({
    ...Object.fromEntries(wrong.map((one, at) => [`s${at}`, { command: "run", ...one }])),
    remote: { url: "https://example.test", sandbox: {} },
  });
  expect(entries).toEqual([]);
  expect(mistakes.map(({ name }) => name)).toEqual(["s0", "s1", "s2", "remote"]);
});

it("shows an address without what may be secret in it", () => {
  const headers = { Authorization: "Bearer abc" };
  expect(lines({ url: "https://me:pw@example.test/mcp?token=abc", headers })).toEqual([
    "from: /a/mcp.json",
    "url: https://example.test/mcp?… (a query of 9 characters)",
    "header: Authorization=[hidden]",
  ]);
});
