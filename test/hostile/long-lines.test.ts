/** Lines without end in a chat, a message or a call: Neovim, which cannot be left meanwhile, reads each of them once. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Editor, neovims, startEditor } from "../lua/editor.ts";

/**
 * Milliseconds of Neovim's own CPU, which other work on the machine does not change, for texts of some hundred
 * kilobytes; by a pattern that begins again everywhere they took minutes.
 */
const longest = 4000;
const cpu = `local function cpu()
  local used = vim.uv.getrusage()
  return (used.utime.sec + used.stime.sec) * 1e3 + (used.utime.usec + used.stime.usec) / 1e3
end`;

const lines = "vim.api.nvim_buf_set_lines(0, 0, -1, false, ";
const row = 'require("parley.screen.calls.call_row").chunks(';
const call = (args: string, ticks = '"`"') =>
  `{ "❓: [ya] " .. ${ticks} .. " " .. vim.json.encode({ id = "c", ["function"] = { name = "x", arguments = ${args} } }) .. " " .. ${ticks} }`;

/** Neovim's own, as far as the plugin can tell. */
const ownNotify = 'vim.notify = loadstring("return function() end", "@vim/_editor.lua")()';

const texts: readonly (readonly [string, string])[] = [
  [
    "a call with thousands of arguments",
    `local keys = {}
    for i = 1, 40000 do keys[i] = ('"k%d":1'):format(i) end
    ${row}${call('"{" .. table.concat(keys, ",") .. "}"')}, 80)`,
  ],
  [
    "a call with runs of backticks in it",
    `local run = ("\`"):rep(100000)
    ${row}${call('vim.json.encode({ a = run .. "a" .. run })', 'run .. "`"')}, 80)`,
  ],
  [
    "a call that is nothing but backticks, for a plugin",
    `require("parley.text.chats").is_chat = function() return true end
    require("parley.screen.show").open_calls = function()
      return { { line = 0, text = "❓: " .. ("\`"):rep(200000) } }
    end
    require("parley.api").open_calls()`,
  ],
  [
    "results that end nowhere",
    `local found = {}
    for _ = 1, 40000 do vim.list_extend(found, { "🛠️: [x]", "\`\`\`text" }) end
    require("parley.text.call_text").foldable(found, 0, 3, true)`,
  ],
  [
    "lists in lists before a fence",
    `${lines}{ ("- "):rep(200000) .. "\`\`\`" })
    require("parley.colours.cuts").around(0, nil, 0, 0)`,
  ],
  [
    "a link that is begun again and again, at gf",
    `${lines}{ ("[🌿:"):rep(60000) .. "](" })
    pcall(require("parley.actions").follow_link)`,
  ],
  [
    "a call with an argument of megabytes, broken for the list",
    `require("parley.screen.wrap").at_edge(("word "):rep(1000000), 100)`,
  ],
  ["a first question of images", `require("parley.text.chats.chat_name").slug(("!["):rep(50000))`],
  [
    "an address that never ends",
    `require("parley.text.chats.chat_name").slug(("![]("):rep(50000))`,
  ],
  [
    "a first question of one word",
    `require("parley.text.chats.chat_name").slug(("a"):rep(300000))`,
  ],
  [
    "a log as the first question",
    `require("parley.text.chats.chat_name").slug(("12:00 | ok\\n"):rep(1000000))`,
  ],
  [
    "a topic with blanks in it",
    `${lines}{ "---", "topic: a" .. (" "):rep(200000) .. "b", "---" })
    require("parley.messages.away").name_of(0)`,
  ],
  [
    "a line of a terminal, brought into a chat",
    `vim.cmd.enew()
    vim.bo.buftype = "nofile"
    ${lines}{ "a" .. (" "):rep(200000) .. "b" })
    require("parley.bring").ask({ first = 1, last = 1, words = { "why?" } })
    vim.cmd.stopinsert()
    vim.cmd("silent! only! | enew!")`,
  ],
  [
    "a message of blanks",
    `${ownNotify}
    require("parley.messages.notify").notify("a" .. (" "):rep(60000) .. "b")`,
  ],
];

describe.each(neovims)("in Neovim $version", (neovim) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await startEditor(neovim);
  });
  afterAll(() => editor.quit());

  it.each(texts)("%s is read once", async (_, code) => {
    const took = await editor.lua<number>(
      `${cpu}\nlocal before = cpu()\n${code}\nreturn cpu() - before`,
    );
    expect(took).toBeLessThan(longest);
  });

  it.each([
    ["lines", "word\n".repeat(200)],
    ["columns", "word ".repeat(4000)],
  ])("a message of more %s than the screen has waits for no key", async (_, message) => {
    await editor.lua(`${ownNotify}\nrequire("parley.messages.notify").notify(...)`, message);
    expect(await editor.nvim.mode).toEqual({ mode: "n", blocking: false });
    expect(await editor.lua('return vim.fn.execute("messages")')).toContain("word");
  });

  it("a long line is broken alike, whatever its characters are", async () => {
    const broken = await editor.lua<[string[], string[]]>(
      `local at_edge = require("parley.screen.wrap").at_edge
      local text = ("word/ and more "):rep(40)
      return { at_edge(text .. "x", 37), at_edge(text .. "é", 37) }`,
    );
    expect(broken[1].map((line) => line.replace("é", "x"))).toEqual(broken[0]);
    expect(broken[0].every((line) => line.length <= 37)).toBe(true);
  });

  it.each([
    ["at blanks", "the quick brown fox jumps over the lazy dog and runs away", 24],
    ["at blanks beside wide characters", "日本 語の文 書を 読む のは 楽しい ことです ね", 20],
    ["where a blank ends the row", "one two three four five six seven eight nine ten", 13],
    ["in a word that is longer than a row", `a ${"x".repeat(60)} b ${"y".repeat(30)}`, 20],
    ["in a word without a blank near the edge", `a ${"x".repeat(18)}yz and more of it`, 20],
    ["in blanks", `key:${" ".repeat(90)}value`, 30],
  ])("a long line is broken %s, and is the same without the indents", async (_, line, width) => {
    const rows = await editor.lua<string[]>(
      `return require("parley.screen.wrap").at_edge(...)`,
      line,
      width,
    );
    const [first = "", ...more] = rows;
    expect(first + more.map((row) => row.replace(/^ {4}/u, "")).join("")).toBe(line);
    const widths = await editor.lua<number[]>(`return vim.tbl_map(vim.fn.strwidth, ...)`, rows);
    expect(Math.max(...widths)).toBeLessThanOrEqual(width);
    expect(Math.min(...widths.slice(0, -1))).toBeGreaterThanOrEqual(
      Math.floor((width * 2) / 3) - 1,
    );
    for (const [index, row] of rows.slice(0, -1).entries()) {
      // A break in a word has no blank in the last third of its row.
      const isInWord = !row.endsWith(" ") && !more[index]?.startsWith("     ");
      if (isInWord) expect(row.slice(Math.floor((row.length * 2) / 3) + 2)).not.toContain(" ");
    }
  });

  it("what is read is what was read before", async () => {
    const found = await editor.lua(
      `${lines}{ "---", "topic:  a  b \\t", "---" })
      local row = require("parley.screen.calls.call_row")
      return {
        require("parley.messages.away").name_of(0),
        row.chunks(${call('[[{"b":"x","a":"\\"c\\"","c":2}]]', '"``"')}, 80)[4][1],
        require("parley.text.chats.chat_name").slug("see ![the house](a/b.png) and @@x.ts@@ it"),
      }`,
    );
    expect(found).toEqual(["a  b", ' x ""c"" 2', "see-the-house-and-it"]);
  });
});
