/** The pages cover everything that exists: readers would trust a table with a missing row. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../scripts/lib/paths.mjs";
import { usageOf } from "../src/cli/arguments.ts";
import { exitCodes } from "../src/cli/end.ts";
import { keyRows } from "../src/conversation/keys.ts";
import { headerKeys } from "../src/conversation/settings/chat-settings.ts";
import { builtinToolNames } from "../src/conversation/settings/tool-selection.ts";
import { chatCommands, hostCommands } from "../src/host/commands/commands.ts";
import { luaCalls } from "../src/host/lua-calls.ts";
import { messages } from "../src/host/messages.ts";
import { textToolProtocols } from "../src/providers/text-tools/protocols.ts";
import { vendors } from "../src/providers/vendors/vendors.ts";
import { markerText } from "../src/transcript/markers.ts";
import { problemLevels } from "../src/transcript/problems.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");

/** The words in backquotes in the first column of the first table after a text. */
function firstColumn(page: string, above: string): readonly string[] {
  const start = page.indexOf(above);
  if (start < 0) throw new Error(`The page has no “${above}”.`);
  const [, table = ""] = /\n\n((?:\|.*\n)+)/.exec(page.slice(start)) ?? [];
  const rows = table.split("\n").slice(2);
  return rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word),
  );
}

describe("doc/architecture.md", () => {
  const page = read("doc/architecture.md");

  it("lists exactly the rooms of src/", () => {
    const folders = readdirSync(join(projectRoot, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}/`);
    const named = firstColumn(page, "## Rooms").filter((name) => /^src\/.*\/$/.test(name));
    expect(named.toSorted()).toEqual(folders.toSorted());
  });

  it("lists every room of the Lua half and every file beside the rooms", () => {
    const entries = readdirSync(join(projectRoot, "lua", "parley"), { withFileTypes: true });
    const chapter = page.slice(
      page.indexOf("The Lua half has rooms too"),
      page.indexOf("\n## One turn"),
    );
    const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    expect(names.filter((name) => !chapter.includes(`\`${name}\``))).toEqual([]);
    const rooms = firstColumn(chapter, "The Lua half has rooms too");
    expect(rooms.filter((name) => !names.includes(name) && name !== "lua/parley/")).toEqual([]);
  });

  it("mentions no bare file name that does not exist", () => {
    const folders = ["src", "lua", "scripts", "test", "bench"];
    const there = folders.flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }),
    );
    const names = new Set(there.map((path) => basename(path)));
    const named = [...page.matchAll(/`([\w.-]+\.(?:ts|lua|mjs))`/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it("gives the same order of rooms as CONTRIBUTING.md", () => {
    const order = (text: string) => /`(shared ← [^`]+)`/.exec(text)?.[1];
    expect(order(page)).toBeDefined();
    expect(order(read("CONTRIBUTING.md"))).toBe(order(page));
  });

  it("lists exactly the messages from Lua to the host", () => {
    const actions = Object.keys(messages);
    expect([...firstColumn(page, "method `parley`")].sort()).toEqual(actions.sort());
  });

  it("lists exactly the Lua functions that the host calls", () => {
    const names = Object.keys(luaCalls);
    expect([...firstColumn(page, 'require("parley.rpc").call')].sort()).toEqual(names.sort());
  });
});

describe("doc/format.md", () => {
  const page = read("doc/format.md");

  it("explains each marker", () => {
    const [, section = ""] = page.split(/^## /m);
    const emoji = Object.values(markerText).map((text) => text.replace(/\uFE0F?:$/u, ""));
    expect(emoji.filter((text) => !section.includes(text))).toEqual([]);
  });

  it("has only markers that Lua reads and highlights", () => {
    const [names, highlights] = ["text/markers.lua", "screen/highlights.lua"].map((file) =>
      read(`lua/parley/${file}`),
    );
    for (const [name, text] of Object.entries(markerText)) {
      if (name === "comment") continue;
      const key = /^\w+$/.test(name) ? name : `["${name}"]`;
      expect(names).toContain(`["${text.replace(/\uFE0F?:$/u, "")}"] = "${name}"`);
      expect(highlights).toContain(`  ${key} = { "Parley`);
    }
  });

  it("describes every header key", () => {
    const section = page.split(/^## /m).find((text) => text.startsWith("3. Header")) ?? "";
    expect(headerKeys.filter((key) => !new RegExp(`\`${key}[:\`]`).test(section))).toEqual([]);
  });
});

describe("doc/parley.txt", () => {
  const page = read("doc/parley.txt");
  // In code examples, bars and stars are not help syntax.
  const plain = page.replaceAll(/(?:^| )>(?:lua|vim|js|json|sh)?\n[\s\S]*?\n(?=[<\S])/gm, "\n");
  const tags = [...plain.matchAll(/(?:^|\s)\*([^*\s]+)\*(?=\s|$)/gm)].map(([, tag = ""]) => tag);

  it("has no duplicate tags, because Neovim writes no tags at all if there is one", () => {
    expect(tags.length).toBeGreaterThan(50);
    expect(tags.filter((tag, index) => tags.indexOf(tag) !== index)).toEqual([]);
  });

  it("has a tag for every command, key, highlight group, event and function", () => {
    const commands = [
      ...read("lua/parley/commands.lua").matchAll(/^ {2}(?:\[")?([a-z][a-z_-]+)(?:"\])? = \{/gm),
    ];
    const groups = [
      ...read("lua/parley/screen/highlights.lua").matchAll(/^\s+(Parley[A-Z]\w+) = /gm),
    ];
    const api = [...read("lua/parley/api.lua").matchAll(/^function M\.(\w+)\(/gm)];
    for (const found of [commands, groups, api]) expect(found.length).toBeGreaterThan(5);
    const wanted = [
      ...commands.map(([, name]) => `:Parley-${name}`),
      ...keyRows.map(({ name }) => `parley-key-${name.replaceAll("_", "-")}`),
      ...groups.map(([, name]) => `hl-${name}`),
      ...api.map(([, name]) => `parley.${name}()`),
      ...["Done", "End", "Error", "Start", "Waiting", "Attach"].map((name) => `Parley${name}`),
    ];
    expect(wanted.filter((tag) => !tags.includes(tag))).toEqual([]);
  });

  it("lists every vendor", () => {
    const chapter = page.slice(page.indexOf("*parley-models*"));
    expect([...vendors.keys()].filter((id) => !chapter.includes(`\`${id}\``))).toEqual([]);
  });

  it("has a line for every built-in tool and every text tool protocol", () => {
    const lines = [...page.matchAll(/^([\w-]+)\t/gm)].map(([, name = ""]) => name);
    const wanted = [...builtinToolNames, ...textToolProtocols.keys()];
    expect(wanted.filter((name) => !lines.includes(name))).toEqual([]);
  });

  it("links only to existing tags", () => {
    const links = [...plain.matchAll(/\|(:?[Pp]arley[^|\s]*)\|/g)].map(([, tag = ""]) => tag);
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter((link) => !tags.includes(link))).toEqual([]);
  });
});

describe("the commands that Lua forwards", () => {
  it("are exactly the host's, and only commands for chats require a chat", () => {
    const found = read("lua/parley/commands.lua").matchAll(/for_host\("([\w-]+)", (true|false)\)/g);
    const handed = [...found].map(([, name = "", needsChat]) => ({ name, needsChat }));
    const ofChats = Object.keys(chatCommands);
    const all = [...Object.keys(hostCommands), ...ofChats];
    expect([...new Set(handed.map(({ name }) => name))].toSorted()).toEqual(all.toSorted());
    const chatless = handed.filter(
      ({ name, needsChat }) => needsChat === "true" && !ofChats.includes(name),
    );
    expect(chatless).toEqual([]);
  });
});

describe("SECURITY.md", () => {
  const page = read("SECURITY.md");

  it("refers only to existing test files", () => {
    const files = [...page.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    expect(files.length).toBeGreaterThan(70);
    expect(files.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  });

  it("quotes for each attack the title of an existing test", () => {
    const rows = [...page.matchAll(/^\| .* \| `(test\/[\w./-]+)` “(.*)” \|$/gm)];
    expect(rows.length).toBeGreaterThan(45);
    const gone = rows.filter(([, path = "", name = ""]) => !read(path).includes(name));
    expect(gone.map(([row]) => row)).toEqual([]);
  });
});

describe("doc/cli.md", () => {
  const page = read("doc/cli.md");

  it("lists exactly the problem codes and their levels", () => {
    const documented = [...page.matchAll(/^\| (error|warning|info) \| (.*) \|$/gm)].flatMap(
      ([, level, codes = ""]) =>
        [...codes.matchAll(/`([^`]+)`/g)].map(([, code]): [string, string] => [
          code ?? "",
          level ?? "",
        ]),
    );
    expect(Object.fromEntries(documented)).toEqual(problemLevels);
  });

  it("lists every exit code and every usage line", () => {
    const codes = [...page.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes).sort());
    for (const [line] of usageOf([]).matchAll(/^parley .*$/gm)) expect(page).toContain(line);
  });
});
