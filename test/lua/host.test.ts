import { chmodSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const chat = ["💬: one", "", "🤖:[demo]", "", "<!-- parley:unfinished open -->"];

describe.each(neovims)("the host process on Neovim $version", (neovim) => {
  let editor: Editor;

  const channel = () => editor.lua<number | null>("return require('parley.host').channel()");
  const notified = (text: string) =>
    poll(`the message ${text}`, async () =>
      (await editor.lua<string[]>("return Notified")).find((message) => message.includes(text)),
    );
  const crash = async () => {
    const before = await channel();
    await editor.lua("require('parley.host').send({ action = 'command', name = 'crash' })");
    await poll("the end of the host", async () => (await channel()) !== before);
  };

  afterEach(() => editor.quit());

  it("starts again on the next use after a crash, with every chat, and gives up after three", async () => {
    editor = await startEditor(neovim);
    const buffer = await editor.openChat("a.md", chat);
    await editor.call("show", buffer, await editor.tick(), {
      calls: [],
      unfinished_line: 4,
      status: { kind: "progress", text: "asking" },
    });
    const tip = await editor.call("tip_open", buffer, await editor.tick(), 3, 2, "a");
    await crash();
    expect(await notified("ended unexpectedly (code 7)")).toContain("told to crash");
    expect(await channel()).toBeNull();
    // What it drew and where it wrote are gone with it.
    expect((await editor.screen())[4]).toBe("…");
    expect(await editor.call("tip_line", buffer, tip["id"])).toBeNull();
    await editor.lua("Received = {}");
    await editor.press("<C-g><C-g>");
    await poll("the respond", async () => (await editor.received("respond")).length === 1);
    expect((await editor.received()).map((message) => message["action"])).toEqual([
      "setup",
      "attach",
      "respond",
    ]);
    for (const time of [2, 3, 4]) {
      await editor.lua("Received = {}");
      await crash();
      await editor.press("<C-g><C-g>");
      if (time < 4)
        await poll("a new host", async () => (await editor.received("respond")).length === 1);
    }
    await notified("does not start it again");
    expect(await channel()).toBeNull();
    await editor.nvim.command("Parley restart");
    await poll("a host", channel);
  });

  it("offers to start a host again that does not answer a stop, and leaves the text as it is", async () => {
    editor = await startEditor(neovim);
    const buffer = await editor.openChat("a.md", chat);
    await editor.lua(`vim.ui.select = function(items, options, choose)
      Prompt = options.prompt Choose = function(index) choose(items[index], index) end end`);
    const before = await channel();
    await editor.lua("require('parley.actions').stop()");
    expect(await poll("the offer", () => editor.lua<string | null>("return Prompt"))).toContain(
      "has not answered the stop",
    );
    await editor.lua("Received = {} Choose(2)");
    await poll("another host", async () => ![null, before].includes(await channel()));
    await poll("the chat", async () => (await editor.received("attach")).length > 0);
    expect(await editor.lines(buffer)).toEqual(chat);
  });

  it("says once that a question waits for a host that says nothing", async () => {
    editor = await startEditor(neovim);
    await editor.openChat("a.md", chat);
    const said =
      "return vim.iter(Notified or {}):filter(function(text) return text:find('waits') end):totable()";
    // The last key has its two seconds, too.
    await editor.lua(
      "for _ = 1, 3 do require('parley.actions').respond() end Last = vim.uv.hrtime()",
    );
    await poll("the word", async () => (await editor.lua<string[]>(said)).length > 0);
    await poll("the time", () => editor.lua("return vim.uv.hrtime() - Last > 2.2e9"));
    expect(await editor.lua(said)).toEqual([
      "Parley's host has not answered for 2 seconds, so your request waits; <C-g>x stops it.",
    ]);
  });

  it("restarts when told to, without a word about a crash", async () => {
    editor = await startEditor(neovim);
    await editor.openChat("a.md", chat);
    const before = await channel();
    await editor.lua("Received = {}");
    await editor.nvim.command("Parley restart");
    await poll("the new host", async () => (await editor.received("attach")).length === 1);
    expect(await channel()).not.toBe(before);
    const told = ["Parley's host was restarted."];
    await poll("the word", async () => (await editor.lua<string[]>("return Notified")).length > 0);
    expect(await editor.lua("return Notified")).toEqual(told);
  });

  it("restarts one that is suspended without waiting for it, and keeps what is asked meanwhile", async () => {
    editor = await startEditor(neovim);
    const buffer = await editor.openChat("a.md", chat);
    await poll("the chat", async () => (await editor.received("attach")).length === 1);
    const id = await editor.lua<number>("return vim.fn.jobpid(require('parley.host').channel())");
    process.kill(id, "SIGSTOP");
    // All in one step of Neovim: it cannot have waited for the old one, which is still there.
    const isThere = await editor.lua<boolean>(
      `Received = {}
      vim.cmd("Parley restart")
      require("parley.actions").respond()
      vim.cmd("Parley restart")
      return vim.uv.kill(..., 0) == 0`,
      id,
    );
    expect(isThere).toBe(true);
    await poll("the respond", async () => (await editor.received("respond")).length === 1);
    expect((await editor.received()).map((message) => message["action"])).toEqual([
      "setup",
      "attach",
      "respond",
    ]);
    expect(await editor.lines(buffer)).toEqual(chat);
    expect(await editor.lua("return Notified")).toEqual(["Parley's host was restarted."]);
    expect(() => process.kill(id, 0)).toThrow("ESRCH");
  });

  it("says once that it was updated, continues to work, and gets its version from Lua", async () => {
    editor = await startEditor(neovim);
    const record = join(editor.folder, "plugin-root", "dist", "build.json");
    writeFileSync(record, "{}");
    await editor.openChat("a.md", chat);
    expect((await editor.received("setup"))[0]).toMatchObject({ version: packageJson.version });
    utimesSync(record, 1, 1);
    await editor.press("<C-g><C-g>");
    await editor.press("<C-g><C-g>");
    await poll("both questions", async () => (await editor.received("respond")).length === 2);
    expect(await editor.lua("return Notified")).toEqual([
      expect.stringMatching(/^Parley was updated\. :Parley restart /),
    ]);
  });

  it("gets line 0 of a buffer that has none yet, as when Neovim starts with a command", async () => {
    editor = await startEditor(neovim);
    await editor.lua("vim.fn.line = function() return 0 end");
    await editor.nvim.command("Parley usage");
    await poll("the command", async () => (await editor.received("command")).length === 1);
    expect((await editor.received("command"))[0]).toMatchObject({ name: "usage", line: 0 });
  });

  it("says what to do when there is no Node", async () => {
    editor = await startEditor(neovim, { before: "vim.g.parley_node = '/nowhere/node'" });
    await editor.nvim.command("Parley usage");
    expect(await notified("does not run")).toContain("/nowhere/node (vim.g.parley_node)");
  });

  it("looks at Node's version only when starting failed", async () => {
    editor = await startEditor(neovim);
    const node = join(editor.folder, "old-node");
    writeFileSync(node, '#!/bin/sh\n[ "$1" = --version ] && echo v18.1.0 && exit 0\nexit 1\n');
    chmodSync(node, 0o755);
    await editor.lua("vim.g.parley_node = (...)", node);
    await editor.nvim.command("Parley usage");
    expect(await notified("18.1.0")).toMatch(/needs Node \d+/);
  });

  it("says in Node's own words why none runs, as of a shim that lacks something", async () => {
    editor = await startEditor(neovim);
    const node = join(editor.folder, "shim");
    const said = "No version is set for command node.";
    writeFileSync(node, `#!/bin/sh\necho >&2\necho '${said}' >&2\necho more >&2\nexit 126\n`);
    chmodSync(node, 0o755);
    await editor.lua("vim.g.parley_node = (...)", node);
    await editor.nvim.command("Parley usage");
    const words = await notified("does not run");
    expect(words).toContain(`does not run: ${said}\n`);
    expect(words).not.toContain("more\n");
  });

  it("says that it did not start, also when the chat that asked is gone by then", async () => {
    editor = await startEditor(neovim, { host: "throw new Error('a broken host');" });
    await editor.nvim.command(`edit ${editor.writeChat("a.md", chat)}`);
    await editor.lua("require('parley.actions').respond() vim.cmd('bwipe!')");
    await notified("a broken host");
    // The next chat may ask again.
    await editor.nvim.command(`edit ${editor.writeChat("b.md", chat)}`);
    await editor.lua("Notified = {} require('parley.actions').respond()");
    await notified("a broken host");
    expect(
      await editor.nvim.request("nvim_exec2", ["messages", { output: true }]),
    ).not.toMatchObject({ output: expect.stringContaining("stack traceback") });
  });

  it("gets the last line of a text that became shorter before it heard of another", async () => {
    editor = await startEditor(neovim);
    const buffer = await editor.openChat("a.md", chat);
    const kept = await editor.lua(
      `local queue = require("parley.host.queue")
      local message = { action = "respond", buf = (...), line = 99 }
      queue.add(message)
      return { message.line, queue.take() }`,
      buffer,
    );
    const line = chat.length - 1;
    expect(kept).toEqual([line, [{ action: "respond", buf: buffer, line }]]);
  });

  it("says what a host wrote to stderr when it did not start", async () => {
    const { MALLOC_MMAP_THRESHOLD_: own = "131072" } = process.env;
    const host =
      "console.error('broken here', process.env.MALLOC_MMAP_THRESHOLD_); process.exit(1);";
    editor = await startEditor(neovim, { host });
    await editor.nvim.command("Parley usage");
    expect(await notified("did not start")).toContain(`broken here ${own}`);
  });

  it("reports its health with the host's answer", async () => {
    editor = await startEditor(neovim);
    await editor.nvim.command("checkhealth parley");
    const report = (await editor.lines()).join("\n");
    expect(report).toContain(`Neovim ${neovim.version}`);
    expect(report).toContain(`Node ${process.versions.node}`);
    expect(report).toContain("dist/ is up to date");
    expect(report).toContain("the fake host answers");
    expect(report).not.toContain("ERROR");
  });

  it("names the fix for what is not healthy", async () => {
    editor = await startEditor(neovim, { before: "vim.g.parley_node = '/nowhere/node'" });
    await editor.nvim.command("checkhealth parley");
    const report = (await editor.lines()).join("\n");
    expect(report).toMatch(/ERROR.*nowhere/);
    expect(report).toContain("vim.g.parley_node");
  });
});
