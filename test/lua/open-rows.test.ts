/** Calls that wait as rows: what is on a screen of 80×24, and that keys which are about the text get the text. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const call = (id: number, values: unknown) =>
  `❓: \`${JSON.stringify({ id: `c${id}`, type: "function", function: { name: "f", arguments: JSON.stringify(values) } })}\``;
const chat = [
  "💬: hi",
  "",
  "🤖:[x]",
  "",
  call(1, { query: "long ".repeat(300) }),
  call(2, { query: "b" }),
];
const keys = "2 calls wait: ya all · yo this · yA/yO remember · yn/yN no · K more";
const diff = Array.from({ length: 9 }, (_, index) => `  +line ${index}`);

describe.each(neovims)("open calls on Neovim $version", (neovim) => {
  let editor: Editor;
  let buffer: number;

  async function show(first: Record<string, unknown> = {}): Promise<void> {
    const base = { tool: "", effect: "", cut: false, whole: true, lines: [], full: ["all"] };
    const view = {
      calls: [
        { ...base, line: 4, text: chat[4], row: "edit_file a.ts +9 −0 · built in", ...first },
        { ...base, line: 5, text: chat[5], row: "f b · server mock" },
      ],
      status: { kind: "waiting", text: keys },
      keys: true,
    };
    const answer = await editor.call("show", buffer, await editor.tick(), view);
    expect(answer).toMatchObject({ status: "shown" });
  }
  const rows = async () => (await editor.screen()).filter((row) => row !== "" && row !== "~");
  const decisions = () => editor.received("key");

  beforeEach(async () => {
    editor = await startEditor(neovim);
    await editor.nvim.request("nvim_ui_try_resize", [80, 24]);
    buffer = await editor.openChat("rows.md", chat);
  });
  afterEach(() => editor.quit());

  it("take a row each and one for the keys, with the cursor on them too", async () => {
    await show();
    const wanted = ["❓ edit_file a.ts +9 −0 · built in", "❓ f b · server mock", keys];
    expect((await rows()).slice(2, 5)).toEqual(wanted);
    await editor.press("5G");
    await poll("the cursor", async () => (await editor.nvim.call("line", ["."])) === 5);
    expect((await rows()).slice(2, 5)).toEqual(wanted);
    // Nor by the keys that lead from one to the next.
    for (const [keys, line] of [
      ["]w", 6],
      ["gg:Parley next<CR>", 5],
      // Letters of a command are not about the text, nor are those of an answer.
      [":let g:told = 'xil'<CR>", 5],
      [":let g:told = input('why ')<CR>xil<CR>", 5],
      ["/xil<Esc>", 5],
    ] as const) {
      await editor.press(keys);
      await poll(keys, async () => (await editor.nvim.call("line", ["."])) === line);
      expect((await rows()).slice(2, 5)).toEqual(wanted);
    }
    // Nor by those that scroll, and those whose second half is a motion of its own.
    for (const keys of ["zt", "zz", "zb", "<C-w>w", "<C-w>l", "gt", "mb", '"b']) {
      await editor.press(`5G${keys}`);
      expect((await rows()).join("\n")).toContain(wanted.join("\n"));
    }
  });

  it("stay rows where the mouse clicks, so that it comes to the one that was seen there", async () => {
    await show({ row: "edit_file a.ts +9 −0", lines: diff });
    const wanted = ["❓ edit_file a.ts +9 −0", "❓ f b · server mock"];
    const mouse = async (button: string, action: string, row: number, modifier = "") => {
      await editor.nvim.request("nvim_input_mouse", [button, action, modifier, 0, row, 20]);
    };
    await editor.nvim.command("set mouse=a mousemodel=extend mousemoveevent");
    for (const [button, row, modifier] of [
      ["left", 4],
      ["left", 5, "A"],
      ["left", 4],
      ["right", 5],
    ] as const) {
      await mouse(button, "press", row, modifier);
      await mouse(button, "release", row);
      await mouse("move", "", row);
      const line = row + 1;
      await poll("the cursor", async () => (await editor.nvim.call("line", ["."])) === line);
      expect((await rows()).slice(2, 4)).toEqual(wanted);
      await editor.press("<Esc>");
    }
    await mouse("left", "press", 1);
    await mouse("left", "drag", 4);
    await mouse("left", "drag", 5);
    await mouse("left", "release", 5);
    await poll("the selection", async () => (await editor.nvim.call("line", ["."])) === 6);
    expect((await rows()).slice(2, 4)).toEqual(wanted);
  });

  it("open before a key of the editor that the user has not mapped", async () => {
    await editor.lua(`vim.g.mapleader = ","
      require("parley").setup({ keys = { approve_one = "<M-a>", deny_one = "<leader>n" } })`);
    await show();
    await editor.press("5G<Del>");
    const wanted = (chat[4] ?? "").replace("❓", "");
    await poll("the text", async () => (await editor.lines())[4] === wanted);
  });

  it("show what does not fit into a row below them, up to ten rows, for the call at the cursor", async () => {
    await show({ whole: false, lines: diff, cut: true });
    expect((await rows()).slice(2, 14)).toEqual([
      "❓ edit_file a.ts +9 −0 · built in",
      "❓ f b · server mock",
      ...diff,
      keys,
    ]);
    await editor.press("5Gyo");
    await poll("the list", async () => (await editor.screen()).some((row) => row.includes("all")));
    expect(await decisions()).toEqual([]);
    await editor.press("yo");
    await poll("the decision", async () => (await decisions()).length === 1);
  });

  it.each([
    ["rows", "manual"],
    ["lines", "indent"],
  ])("as %s need time to be read where what one would do became something else", async (_, how) => {
    await editor.lua(`Clock = 0
      vim.uv.hrtime = function() return Clock * 1e6 end
      vim.wo.foldmethod = "${how}"`);
    const draw = async (effect: string) => {
      await show({ whole: false, effect, lines: [`  +${effect}`] });
      await poll("it", async () => (await rows()).includes(`  +${effect}`));
    };
    const decided = (count: number) =>
      poll(`${count}`, async () => (await decisions()).length === count);
    await draw("one");
    await editor.press("5Gyo");
    await decided(1);
    await draw("two");
    await editor.press("5Gyo");
    await poll("the list", async () => (await editor.screen()).join("\n").includes("1 open call"));
    expect(await decisions()).toHaveLength(1);
    await editor.press("q");
    await editor.lua("Clock = 1000");
    await editor.press("5Gyo");
    await decided(2);
  });

  it("have their keys above them, too, where a window does not show all of them", async () => {
    const count = 30;
    const text = Array.from({ length: count }, (_, index) => call(index, { query: "b" }));
    const lines = [...chat.slice(0, 4), ...text];
    buffer = await editor.openChat("many.md", lines);
    const base = { tool: "", effect: "", cut: false, whole: true, lines: [], full: ["all"] };
    const calls = text.map((one, index) => {
      return { ...base, line: 4 + index, text: one, row: `f ${index}` };
    });
    await editor.press("5G");
    const view = { calls, status: { kind: "waiting", text: keys }, keys: true };
    await editor.call("show", buffer, await editor.tick(), view);
    const top = ["", keys, "❓ f 0", "❓ f 1"];
    expect((await editor.screen()).slice(0, 4)).toEqual(top);
    // Also where the window began with the first of them.
    await editor.lua("vim.fn.winrestview({ topline = 5 })");
    await editor.call("show", buffer, await editor.tick(), view);
    expect((await editor.screen()).slice(0, 4)).toEqual(top);
    await editor.press("G");
    const last = ["❓ f 29", keys];
    await poll("the end", async () => (await rows()).join("\n").includes(last.join("\n")));
    await editor.press("5G");
    await editor.nvim.request("nvim_ui_try_resize", [80, 50]);
    await editor.call("show", buffer, await editor.tick(), view);
    expect((await rows()).filter((row) => row === keys)).toHaveLength(1);
    // Nothing can be drawn between folds: they are above those before the first call.
    const step = `<!-- parley:step {"model":"m","state":"${"x".repeat(200)}"} -->`;
    const settled = [call(90, {}), "", "🛠️: [f][c90]", "", "`r`", ""];
    await editor.nvim.request("nvim_ui_try_resize", [80, 24]);
    for (const [name, before, folded] of [
      ["step", [...settled, step], "step · m"],
      ["settled", settled, "❓ f · r"],
    ] as const) {
      buffer = await editor.openChat(`${name}.md`, [...chat.slice(0, 4), ...before, ...text]);
      await poll("the row before", async () => (await rows()).includes(folded));
      await editor.press(`${5 + before.length}G`);
      const moved = calls.map((one) => ({ ...one, line: one.line + before.length }));
      await editor.call("show", buffer, await editor.tick(), { ...view, calls: moved });
      expect((await rows()).slice(0, 3)).toEqual([keys, folded, "❓ f 0"]);
    }
    buffer = await editor.openChat("many.md", lines);
    await editor.press("5G");
    // A winbar takes a row of the window, and 'scrolloff' takes those above the cursor.
    const height = await editor.lua("return vim.api.nvim_win_get_height(0)");
    await editor.nvim.request("nvim_ui_try_resize", [80, 24 - Number(height) + count + 1]);
    await editor.lua("vim.wo.winbar = 'bar'");
    await editor.call("show", buffer, await editor.tick(), view);
    expect((await rows()).slice(0, 3)).toEqual(["bar", keys, "❓ f 0"]);
    await editor.lua("vim.wo.winbar, vim.wo.scrolloff = '', 10");
    await editor.call("show", buffer, await editor.tick(), view);
    expect((await rows()).join("\n")).toContain(`${keys}\n❓ f 0`);
  });

  it.each([0, 5, 999])("come into view with their keys with 'scrolloff' %i", async (rows) => {
    await editor.nvim.command(`set scrolloff=${rows}`);
    const above = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    buffer = await editor.openChat("low.md", [...chat.slice(0, 4), ...above, ...chat.slice(4)]);
    const base = { tool: "", effect: "", cut: false, full: ["all"], lines: diff.slice(0, 4) };
    const calls = [44, 45].map((line, index) => {
      return { ...base, whole: index > 0, line, text: chat[4 + index], row: `f ${index}` };
    });
    await editor.press("45G");
    const view = { calls, status: { kind: "waiting", text: keys }, keys: true };
    await editor.call("show", buffer, await editor.tick(), view);
    const [top, below] = rows === 999 ? [[keys], []] : [[], [...base.lines, keys]];
    const wanted = [...top, "❓ f 0", "❓ f 1", ...below];
    const all = async () => (await editor.screen()).join("\n").includes(wanted.join("\n"));
    await poll("all of it", all);
  });

  it("have their keys below settled calls that follow, and leave those rows when they are settled", async () => {
    const settled = (id: number) => [call(id, {}), "", `🛠️: [f][c${id}]`, "", `\`r${id}\``, ""];
    const lines = [...chat.slice(0, 4), call(2, { query: "b" }), ...settled(3), ...settled(4)];
    for (const end of [[], ["done", ""]]) {
      buffer = await editor.openChat(`settled${end.length}.md`, [...lines.slice(0, -1), ...end]);
      await editor.press("gg");
      const shown = (row: string) => async () => (await rows()).includes(row);
      await poll("a row", shown("❓ f · r4"));
      const open = { tool: "", effect: "", cut: false, whole: true, lines: [], full: ["all"] };
      const draw = async () =>
        editor.call("show", buffer, await editor.tick(), {
          calls: [{ ...open, line: 4, text: lines[4], row: "f b · server mock" }],
          status: { kind: "waiting", text: keys },
          keys: true,
        });
      await draw();
      await poll("the keys", shown(keys));
      const seen = await rows();
      expect(seen.indexOf(keys)).toBeGreaterThan(seen.indexOf("❓ f · r4"));
      // Drawn with the cursor in one that follows, whose fold is open, and left.
      await editor.press("/^🛠️: .f..c3<CR>");
      await poll("its result", shown("`r3`"));
      await draw();
      await editor.press("gg");
      await poll("a row", shown("❓ f · r3"));
      expect((await rows()).indexOf(keys)).toBe(seen.indexOf(keys));
      const result = ["", "🛠️: [f][c2]", "", "`r2`", ""];
      const edit = { start: 4, end: 5, lines: [lines[4], ...result] };
      await editor.call("apply", buffer, await editor.tick(), [edit], "a");
      await editor.call("show", buffer, await editor.tick(), { calls: [], keys: false });
      for (const name of ["r2", "r3", "r4"])
        await poll(name, async () =>
          (await rows()).some((row) => row.startsWith("❓ f ") && row.endsWith(`· ${name}`)),
        );
    }
  });

  it("are listed page by page: a yes decides when the last was seen, a no at once", async () => {
    const full = Array.from({ length: 50 }, (_, row) => `  row-${row}.`);
    await show({ whole: false, cut: true, full });
    const screen = async () => (await editor.screen()).join("\n");
    const lists = (words: string) => poll(words, async () => (await screen()).includes(words));
    await editor.press("5Gyo");
    await lists("yo shows more, q closes");
    const seen = new Set<string>();
    for (let page = 0; page < 9; page += 1) {
      const text = await screen();
      for (const row of full) if (text.includes(row)) seen.add(row);
      if (text.includes("yo decides")) break;
      await editor.press("yo");
      await poll("another page", async () => (await screen()) !== text);
    }
    expect([...seen]).toEqual(full);
    expect(await decisions()).toEqual([]);
    await editor.press("gg");
    await lists("yo shows more");
    await editor.press("G");
    await lists("yo decides");
    await editor.press("ggyn");
    await lists("yn decides");
    await editor.press("yn");
    await poll("the reason", async () => (await screen()).includes("Reason for declining"));
    await editor.press("<CR>");
    await poll("the no", async () => (await decisions()).length === 1);
  });

  it("that read the same are decided in the list one by one, and none where one of them went", async () => {
    const twin = chat[5]!;
    const screen = async () => (await editor.screen()).join("\n");
    await editor.nvim.call("setline", [5, twin]);
    await show({ text: twin, pending: true });
    const list = async () => {
      await editor.press("5Gyo");
      await poll("the list", async () => (await screen()).includes("1 open call"));
    };
    await list();
    const base = { tool: "", effect: "", whole: true, lines: [], row: "f b", text: twin };
    const view = { calls: [{ ...base, line: 4 }], keys: true };
    await editor.call("show", buffer, await editor.tick(), view);
    await poll("the end of the list", async () => !(await screen()).includes("1 open call"));
    await show({ text: twin, pending: true });
    await list();
    await show({ text: twin });
    await editor.press("yo");
    await poll("the decision", async () => (await decisions()).length === 1);
    expect((await decisions())[0]).toMatchObject({ line: 4 });
  });

  it("cut what would take more, and are decided in the list then", async () => {
    await show({ whole: false, lines: [`  ${"x".repeat(2000)}`] });
    expect((await rows()).slice(4, 14).at(-1)).toMatch(/^ {2}… \d+ more rows$/);
    await editor.press("5Gya");
    await poll("the list", async () => (await editor.screen()).some((row) => row.includes("all")));
    expect(await decisions()).toEqual([]);
  });

  it("show a row that is wider than the window below, in full", async () => {
    const long = `${"word ".repeat(20)}end`;
    await show({ row: `f ${long}`, lines: [`  query: ${long}`], full: ["f · built in"] });
    const seen = await rows();
    expect(seen[2]).toMatch(/^❓ f word .*…$/);
    expect(seen[4]).toBe("f · built in");
    expect(seen.slice(5, 7).join("")).toContain("end");
    await editor.press("5Gyo");
    await poll("the decision", async () => (await decisions()).length === 1);
  });

  it.each([
    "number",
    "signcolumn=yes:2",
    // As that of LazyVim: its width is known when it is drawn.
    "number statuscolumn=%s%=%l\\ \\ \\ \\ ",
  ])("are drawn again for what %s leaves of the window", async (options) => {
    await show({ whole: false, lines: [`  query: ${"x".repeat(200)}`] });
    const count = async () => (await editor.received("attach")).length;
    const before = await count();
    await editor.nvim.command(`setlocal ${options}`);
    await poll("the host to be told", async () => (await count()) > before);
    await show({ whole: false, lines: [`  query: ${"x".repeat(200)}`] });
    await editor.screen();
    await editor.press("5Gyo");
    await poll("the decision", async () => (await decisions()).length === 1);
    expect(await count()).toBe(before + 1);
  });

  it.each([
    ["are seen whole in a window of few columns, and decided there", 12, 1],
    ["are decided in the list where the window has next to none", 5, 0],
  ])("%s", async (_, columns, decided) => {
    await editor.nvim.command(
      `rightbelow vsplit | enew | wincmd p | vertical resize ${columns + 4}`,
    );
    await editor.nvim.command("setlocal number numberwidth=4");
    await show({
      row: "f google stock price",
      lines: ["  query: google stock price"],
      full: ["all"],
    });
    await editor.press("5G");
    const text = async () =>
      (await rows()).map((row) => row.slice(4, columns + 4).replaceAll(" ", "")).join("");
    if (decided) {
      await poll("all of it", async () => (await text()).includes("query:googlestockprice"));
      await editor.press("yo");
      await poll("the decision", async () => (await decisions()).length === decided);
    } else {
      await editor.press("yo");
      await poll("the list", async () =>
        (await editor.screen()).some((row) => row.includes("all")),
      );
      expect(await decisions()).toEqual([]);
    }
  });

  it.each([
    ["x", (line: string) => line.replace("❓", "")],
    ["jkx", (line: string) => line.replace("❓", "")],
    ["f{x", (line: string) => line.replace("{", "")],
    ["qa$xq", (line: string) => line.slice(0, -1)],
    ['mm"ax', (line: string) => line.replace("❓", "")],
    ["qqqx", (line: string) => line.replace("❓", "")],
    ["qaqx", (line: string) => line.replace("❓", "")],
    ["ggx5G.", (line: string) => line.replace("❓", "")],
  ])("give %s their text, and come back when the cursor leaves", async (pressed, expected) => {
    await show();
    await editor.press(`5G${pressed}`);
    await poll("the text", async () => (await editor.lines())[4] === expected(chat[4] ?? ""));
    await editor.press("u");
    await poll("the undo", async () => (await editor.lines())[4] === chat[4]);
    await show();
    await editor.press("gg");
    await poll("the row", async () => (await rows())[2] === "❓ edit_file a.ts +9 −0 · built in");
  });

  it("are lines with all below each where the window folds nothing", async () => {
    await editor.nvim.command("setlocal nofoldenable");
    await show({ whole: false, lines: diff });
    await editor.press("G");
    const seen = await rows();
    expect(seen.some((row) => row.includes('{"id":"c2"'))).toBe(true);
    expect(seen).toContain("all");
  });
});
