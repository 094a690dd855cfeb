/** Which buffers are chats: by place and text, by hand, after they were closed, under any name. */
import { mkdir, mkdtemp, rename, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { itInTurn, neovims, type TestNeovim } from "../support/neovim.ts";
import {
  chatText,
  decide,
  open,
  openAny,
  question,
  respond,
  settle,
  untilDone,
  untilWaiting,
} from "./wire-chat.ts";

const chat = { text: chatText("mock/demo", `💬: ${question}`) };

async function hasKeys(nvim: TestNeovim): Promise<boolean> {
  return (await nvim.client.call("maparg", ["<C-g><C-g>", "n"])) !== "";
}

async function edit(nvim: TestNeovim, path: string): Promise<void> {
  await nvim.lua("vim.cmd.edit(vim.fn.fnameescape((...)))", path);
}

/** The answer with its calls, the results after `ya`, and the next question. */
async function wholeTurn(nvim: TestNeovim): Promise<string> {
  await respond(nvim);
  await untilWaiting(nvim);
  await decide(nvim, "ya");
  await nvim.untilText(/\$544.*\n\n(📝.*\n\n)?💬: $/s);
  return nvim.text();
}

describe.each(neovims)("a chat in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("is a Markdown file of a chat folder with a topic or a marker, and no other", async () => {
    const nvim = await openAny({ path });
    const folder = dirname(nvim.chatPath);
    await mkdir(join(folder, "deeper"));
    const files: readonly (readonly [string, string, boolean])[] = [
      [join(folder, "topic.md"), "---\ntopic: x\n---\n", true],
      [join(folder, "older.markdown"), "# topic: x\n---\n", true],
      [join(folder, "deeper", "marker.md"), "hello\n\n💬: hi\n", true],
      [join(folder, "notes.md"), "# Notes\n\nI like 💬: very much.\n", false],
      [join(folder, "chat.txt"), "💬: hi\n", false],
      [join(nvim.home, "elsewhere.md"), "---\ntopic: x\n---\n💬: hi\n", false],
    ];
    for (const [file, text, isChat] of files) {
      await writeFile(file, text);
      await edit(nvim, file);
      expect([file, await hasKeys(nvim)]).toEqual([file, isChat]);
    }
  });

  it("is what a user attaches, until it is detached", async () => {
    const nvim = await openAny({ path });
    const file = join(nvim.home, "elsewhere.md");
    await writeFile(file, chat.text);
    await edit(nvim, file);
    await nvim.command("Parley attach");
    expect(await hasKeys(nvim)).toBe(true);
    expect(await wholeTurn(nvim)).toContain("$911");

    await nvim.until("the save", () => nvim.lua("return not vim.bo.modified"));
    await nvim.command("bdelete");
    await edit(nvim, file);
    expect(await hasKeys(nvim)).toBe(true);
    await nvim.command("Parley detach");
    expect(await hasKeys(nvim)).toBe(false);
    expect(await nvim.virtualText()).toBe("");
    // What the host drew before it heard of it is not drawn any more, and brings no keys back.
    const late = `return require("parley.rpc").call("show", vim.api.nvim_get_current_buf(), vim.b.changedtick,
      { calls = {}, running = {}, diagnostics = {}, statusline = "late", keys = true, usage = { text = "late" } })`;
    expect(await nvim.lua(late)).toEqual({ status: "gone" });
    expect(await hasKeys(nvim)).toBe(false);
    expect(await nvim.virtualText()).toBe("");
    await nvim.command("edit");
    expect(await hasKeys(nvim)).toBe(false);
  });

  it("has its keys and its pending calls again after :bdelete", async () => {
    const nvim = await open({ path, chat });
    await respond(nvim);
    const waiting = await untilWaiting(nvim);
    await nvim.until("the file", async () => (await nvim.file()) === `${waiting}\n`);
    await nvim.command("bdelete");
    await edit(nvim, nvim.chatPath);
    await untilWaiting(nvim);
    await decide(nvim, "ya");
    expect(await untilDone(nvim)).toContain("$544");
    await nvim.command("bwipeout");
    await edit(nvim, nvim.chatPath);
    await nvim.ready();
    await nvim.input("GAhello<Esc><C-g><C-g>");
    await nvim.untilText(/^💬: hello\n\n🤖:.*\n💬: $/ms);
  });

  it("is found through a link to its folder, under both names with one memory", async () => {
    const home = await mkdtemp(join(tmpdir(), "parley-link-"));
    const real = join(home, "documents");
    await mkdir(real);
    await mkdir(join(home, "data", "nvim"), { recursive: true });
    await symlink(real, join(home, "data", "nvim", "parley"));
    const nvim = await open({ path, home, chat });
    await respond(nvim);
    await untilWaiting(nvim);
    await decide(nvim, "yA");
    await untilDone(nvim);
    await nvim.command("bwipeout");

    await edit(nvim, join(real, "chat.md"));
    await nvim.ready();
    await nvim.input("GAwhat is the latest stock price of apple?<Esc><C-g><C-g>");
    const text = await nvim.untilText(/\$278.*\n💬: $/s);
    expect(text).toMatch(/^❓:\[yA\] .*apple/m);
  });

  it.each(["two words & an 📈.md", "50% #1 [draft] 'quoted' $HOME.md", "-begins with a dash.md"])(
    "may be called %s",
    async (name) => {
      const nvim = await open({ path, chat: { ...chat, name } });
      const text = await wholeTurn(nvim);
      await nvim.until("the file", async () => (await nvim.file()) === `${text}\n`);
    },
  );

  it("goes on under its new name", async () => {
    const nvim = await open({ path, chat });
    await respond(nvim);
    await untilWaiting(nvim);
    const other = join(dirname(nvim.chatPath), "renamed chat.md");
    await rename(nvim.chatPath, other);
    await nvim.lua(
      'vim.cmd("silent file " .. vim.fn.fnameescape((...))) vim.cmd("silent write!")',
      other,
    );
    await settle(nvim);
    await decide(nvim, "ya");
    const text = await nvim.untilText(/\$544.*\n💬: $/s);
    await edit(nvim, nvim.chatPath);
    expect(await nvim.text()).toBe("");
    await edit(nvim, other);
    expect(await nvim.text()).toBe(text);
  });
});
