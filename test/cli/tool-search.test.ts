/**
 * Tool search with three hundred tools of six servers and the mock tool: the size of requests, and finding the right
 * tool.
 */
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { preview } from "../../src/cli/preview.ts";
import { textToolProtocols } from "../../src/providers/text-tools/protocols.ts";
import { isObject } from "../../src/shared/json.ts";
import { badServer } from "../support/mcp-server.ts";
import { openPlace, script } from "./command-line.ts";
import { openIn } from "./in-process.ts";

// Each test starts six servers and a program, possibly on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const names = ["github", "gitlab", "gitea", "forge", "sourcehut", "bitbucket"];
const servers = Object.fromEntries(
  names.map((name) => [name, { command: process.execPath, args: [badServer, "many", name] }]),
);

const chat = (header: string) => `---\n${header}\n---\n\n💬: open an issue on gitea\n`;

function placeOf(header: string, turns: readonly object[] = []) {
  const place = openPlace(chat(header));
  const folder = join("home", ".config", "nvim", "parley");
  place.write(join(folder, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  place.write("script.json", script(...turns));
  return place;
}

const query = { query: "create an issue on gitea" };
const create = { name: "mcp__gitea__create_issue", arguments: { owner: "me", name: "it" } };
const result = /create_issue of gitea: done/;

it("a model finds the tool it needs, and only the tools that it found are sent with the next request", async () => {
  const turns = [
    { calls: [{ id: "c1", name: "find_tools", arguments: query }] },
    { calls: [{ id: "c2", ...create }] },
    { text: "It is open." },
  ];
  const place = placeOf("model: mock/file:script.json", turns);
  const first = await place.parley(["run", "chat.md"]);
  const found = place.read();
  expect(found).toMatch(/^❓:\[find\] `.*"name":"find_tools"/m);
  const listed = /^\d+ of 301 tools fit, the best 8 of them\. You can call these now:$/m;
  expect(found).toMatch(listed);
  expect(found).toMatch(/^mcp__gitea__create_issue: Creates a issue of gitea\./m);
  // Finding a tool does not run it.
  expect(found).toMatch(/^❓: `.*"id":"c2"/m);
  expect(first.code).toBe(3);
  const preview = ["preview", "chat.md", "--model", "openai/gpt-4.1"];
  const { body } = JSON.parse((await place.parley(preview)).stdout);
  const offered = body.tools.map((tool: unknown) =>
    isObject(tool) && isObject(tool.function) ? tool.function.name : null,
  );
  expect(offered).toHaveLength(9);
  // Found tools come after the earlier ones, in the order in which they were found.
  expect(offered.slice(0, 2)).toEqual(["find_tools", "mcp__gitea__create_issue"]);
  const second = await place.parley(["run", "chat.md", "--approve", "gitea"]);
  expect(second).toMatchObject({ code: 0 });
  expect(place.read()).toMatch(result);
});

it("a model that writes its calls as text finds the tool it needs", async () => {
  const smiley = textToolProtocols.get("smiley");
  const text = (name: string, args: object) =>
    smiley?.renderCall({ name, arguments: JSON.stringify(args) }) ?? "";
  const turns = [
    { text: text("find_tools", query) },
    { text: text(create.name, create.arguments) },
    { text: "It is open." },
  ];
  const place = placeOf("model: mock/file:script.json\ntool_protocol: smiley", turns);
  const ended = await place.parley(["run", "chat.md", "--approve", "gitea"]);
  expect(ended).toMatchObject({ code: 0 });
  expect(place.read()).toMatch(/^❓:\[find\] /m);
  expect(place.read()).toMatch(result);
});

it("tool search reduces the tokens of a request to a small part, natively and as text", async () => {
  const place = openPlace();
  place.write(join("config", "parley", "mcp.json"), JSON.stringify({ mcpServers: servers }));
  const opened = await openIn(place.folder);
  onTestFinished(() => opened.close());
  const tokens = async (more: string) => {
    const file = place.write("chat.md", chat(`model: anthropic/claude-sonnet-5-5${more}`));
    const { stdout } = await opened.act((app, tell) =>
      preview(app, { name: "preview", file, model: null, tools: null, config: null }, tell),
    );
    const { body } = JSON.parse(stdout);
    return Math.round(
      (JSON.stringify(body.tools ?? []).length + JSON.stringify(body.system).length) / 4,
    );
  };
  const sizes = {
    all: await tokens("\ntool_search: 0"),
    searched: await tokens(""),
    allAsText: await tokens("\ntool_search: 0\ntool_protocol: smiley"),
    searchedAsText: await tokens("\ntool_protocol: smiley"),
  };
  expect(sizes.searched).toBeLessThan(sizes.all / 20);
  expect(sizes.searchedAsText).toBeLessThan(sizes.allAsText / 20);
});
