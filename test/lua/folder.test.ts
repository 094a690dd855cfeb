/** The folder that chats work in, and how questions name a file by it. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

describe.each(neovims)("the working folder of chats on Neovim $version", (neovim) => {
  let editor: Editor;
  let work: string;
  beforeAll(async () => {
    editor = await startEditor(neovim);
    work = join(realpathSync(editor.folder), "work");
    for (const name of ["deep", "other"]) {
      mkdirSync(join(work, name), { recursive: true });
      writeFileSync(join(work, name, "code.txt"), "one\ntwo\nthree\n");
    }
  });
  afterAll(() => editor.quit());
  beforeEach(async () => {
    await editor.press("<C-\\><C-n>");
    await editor.nvim.command("silent! tabonly | silent! only | silent! %bwipeout!");
    await editor.nvim.command(`cd ${work} | edit deep/code.txt`);
  });

  const question = () => editor.lua<string>("return vim.fn.getline(vim.fn.line('$'))");
  /** What the host was told last. */
  const told = async () => {
    const known = (message: Record<string, unknown>) =>
      message["action"] === "cwd" || message["action"] === "setup";
    return (await editor.received()).filter(known).at(-1)?.["cwd"];
  };

  it("is Neovim's, and a question names its file by it from any window", async () => {
    await editor.nvim.command("2Parley new");
    expect(await question()).toBe("💬: @@./deep/code.txt:2@@ ");
    await poll("the folder", async () => (await told()) === work);
    await editor.nvim.command("wincmd p | lcd deep");
    await editor.nvim.command("2Parley new");
    expect(await question()).toBe("💬: @@./deep/code.txt:2@@ ");
    await editor.nvim.command(`tabedit ../deep/code.txt | tcd ${work}/other | 2Parley new`);
    expect(await question()).toBe("💬: @@./deep/code.txt:2@@ ");
    await editor.nvim.command(`tabclose! | cd ${work}/other | edit ../deep/code.txt`);
    await editor.nvim.command("2Parley new");
    expect(await question()).toContain("work/deep/code.txt:2@@");
    await poll("the folder", async () => (await told()) === join(work, "other"));
  });

  it("is another one when Neovim went there while no chat was open", async () => {
    await editor.nvim.command("Parley new");
    await poll("the folder", async () => (await told()) === work);
    await editor.nvim.command(`%bwipeout! | cd ${work}/other | Parley new`);
    await poll("the folder", async () => (await told()) === join(work, "other"));
  });

  it("is the last file's with autochdir, and no chat's", async () => {
    await editor.nvim.command("set autochdir");
    await editor.nvim.command("2Parley new");
    expect(await question()).toBe("💬: @@./code.txt:2@@ ");
    await poll("the folder", async () => (await told()) === join(work, "deep"));
    await editor.nvim.command(`wincmd p | edit ${work}/other/code.txt`);
    await poll("the folder", async () => (await told()) === join(work, "other"));
    editor.writeChat("x.md", ["---", "topic: t", "---", "", "💬: one"]);
    await editor.nvim.command(`edit ${join(editor.folder, "chats", "x.md")}`);
    await poll("the chat", () =>
      editor.lua("return require('parley.text.chats').is_chat(vim.api.nvim_get_current_buf())"),
    );
    await editor.nvim.command("Parley restart");
    await editor.lua("vim.wait(50)");
    expect(await editor.lua("return require('parley.text.chats').folder()")).toBe(
      join(work, "other"),
    );
    expect(await told()).toBe(join(work, "other"));
    await editor.nvim.command("set noautochdir");
  });
});
