/** The pages name what is there: a table that forgot a row would be believed. */
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
import { luaCalls } from "../src/host/lua.ts";
import { messages } from "../src/host/messages.ts";
import { textToolProtocols } from "../src/providers/text-tools/protocols.ts";
import { vendors } from "../src/providers/vendors/vendors.ts";
import { markerText } from "../src/transcript/markers.ts";
import { problemLevels } from "../src/transcript/problems.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");

/** The words in backquotes in the first column of the table below a text. */
function firstColumn(page: string, above: string): readonly string[] {
  const start = page.indexOf(above);
  if (start < 0) throw new Error(`The page has no “${above}”.`);
  const [, table = ""] = /\n\n((?:\|.*\n)+)/.exec(page.slice(start)) ?? [];
  const rows = table.split("\n").slice(2);
  return rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word),
  );
}

describe("the page of the architecture", () => {
  const page = read("doc/architecture.md");

  it("names every room of src, and none that is gone", () => {
    const folders = readdirSync(join(projectRoot, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}/`);
    const named = firstColumn(page, "## Rooms").filter((name) => /^src\/.*\/$/.test(name));
    expect(named.toSorted()).toEqual(folders.toSorted());
  });

  it("names every room of Lua, and every file beside them", () => {
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

  it("names no file that is gone, where it names a file alone", () => {
    const folders = ["src", "lua", "scripts", "test", "bench"];
    const there = folders.flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }),
    );
    const names = new Set(there.map((path) => basename(path)));
    const named = [...page.matchAll(/`([\w.-]+\.(?:ts|lua|mjs))`/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it("has the order of the rooms, as CONTRIBUTING.md does", () => {
    const order = (text: string) => /`(shared ← [^`]+)`/.exec(text)?.[1];
    expect(order(page)).toBeDefined();
    expect(order(read("CONTRIBUTING.md"))).toBe(order(page));
  });

  it("names every message of Lua to the host", () => {
    const actions = Object.keys(messages);
    expect([...firstColumn(page, "method `parley`")].sort()).toEqual(actions.sort());
  });

  it("names every function that the host calls", () => {
    const names = Object.keys(luaCalls);
    expect([...firstColumn(page, 'require("parley.rpc").call')].sort()).toEqual(names.sort());
  });
});

describe("the format", () => {
  const page = read("doc/format.md");

  it("says what each marker is", () => {
    const [, section = ""] = page.split(/^## /m);
    const emoji = Object.values(markerText).map((text) => text.replace(/\uFE0F?:$/u, ""));
    expect(emoji.filter((text) => !section.includes(text))).toEqual([]);
  });

  it("has markers that Lua reads and colours", () => {
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

  it("names every key of a header", () => {
    const section = page.split(/^## /m).find((text) => text.startsWith("3. Header")) ?? "";
    expect(headerKeys.filter((key) => !new RegExp(`\`${key}[:\`]`).test(section))).toEqual([]);
  });
});

describe("the help", () => {
  const page = read("doc/parley.txt");
  // In examples a bar or a star is itself.
  const plain = page.replaceAll(/(?:^| )>(?:lua|vim|js|json|sh)?\n[\s\S]*?\n(?=[<\S])/gm, "\n");
  const tags = [...plain.matchAll(/(?:^|\s)\*([^*\s]+)\*(?=\s|$)/gm)].map(([, tag = ""]) => tag);

  it("has each tag once, since a second one leaves Neovim without any", () => {
    expect(tags.length).toBeGreaterThan(50);
    expect(tags.filter((tag, index) => tags.indexOf(tag) !== index)).toEqual([]);
  });

  it("has a tag for every command, key, group of colours, event and function", () => {
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

  it("names every vendor", () => {
    const chapter = page.slice(page.indexOf("*parley-models*"));
    expect([...vendors.keys()].filter((id) => !chapter.includes(`\`${id}\``))).toEqual([]);
  });

  it("has a line for every built-in tool, and every form of a call that a model can be asked for", () => {
    const lines = [...page.matchAll(/^([\w-]+)\t/gm)].map(([, name = ""]) => name);
    const wanted = [...builtinToolNames, ...textToolProtocols.keys()];
    expect(wanted.filter((name) => !lines.includes(name))).toEqual([]);
  });

  it("leads to tags that are there", () => {
    const links = [...plain.matchAll(/\|(:?[Pp]arley[^|\s]*)\|/g)].map(([, tag = ""]) => tag);
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter((link) => !tags.includes(link))).toEqual([]);
  });
});

describe("the commands", () => {
  it("that Lua hands on are the host's, and those that need a chat are a chat's", () => {
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

describe("the page about security", () => {
  const page = read("SECURITY.md");

  it("names tests that are there", () => {
    const files = [...page.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    expect(files.length).toBeGreaterThan(70);
    expect(files.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  });

  it("names each attack with a test of that name", () => {
    const rows = [...page.matchAll(/^\| .* \| `(test\/[\w./-]+)` “(.*)” \|$/gm)];
    expect(rows.length).toBeGreaterThan(45);
    const gone = rows.filter(([, path = "", name = ""]) => !read(path).includes(name));
    expect(gone.map(([row]) => row)).toEqual([]);
  });
});

describe("the page of the command line", () => {
  const page = read("doc/cli.md");

  it("names every code with its level", () => {
    const documented = [...page.matchAll(/^\| (error|warning|info) \| (.*) \|$/gm)].flatMap(
      ([, level, codes = ""]) =>
        [...codes.matchAll(/`([^`]+)`/g)].map(([, code]): [string, string] => [
          code ?? "",
          level ?? "",
        ]),
    );
    expect(Object.fromEntries(documented)).toEqual(problemLevels);
  });

  it("names every exit code and every option", () => {
    const codes = [...page.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes).sort());
    for (const [line] of usageOf([]).matchAll(/^parley .*$/gm)) expect(page).toContain(line);
  });
});
