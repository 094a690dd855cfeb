/** Images from the clipboard and from a capture program, in every supported Neovim. */
import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { itInTurn, neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function open(path: string): Promise<TestNeovim> {
  const home = await mkdtemp(join(tmpdir(), "parley-test-"));
  const image = join(home, "image.png");
  await writeFile(image, Buffer.from(png, "base64"));
  await writeFile(join(home, "text.txt"), "no image");
  const init = `require("parley").setup({ image_commands = {
    clipboard = { "cat", ${JSON.stringify(image)} },
    capture = { "cp", ${JSON.stringify(image)}, "{file}" },
  } })`;
  const chat = { text: "---\ntopic: x\nmodel: openai/gpt-5.5\n---\n\n💬: what is this?\n" };
  editor = await TestNeovim.start({ path, home, init, chat });
  await editor.ready();
  return editor;
}

const said = (nvim: TestNeovim, pattern: RegExp) =>
  nvim.until(`the message ${pattern}`, async () => pattern.test(await nvim.messages()));

describe.each(neovims)("images in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("come from a program and are kept beside the chat, on a line of the question", async () => {
    const nvim = await open(path);
    await nvim.input("G");
    await nvim.command("Parley image");
    await nvim.untilText(/^💬: what is this\?\n!\[\]\(chat\.md\.files\/[0-9a-f]{64}\.png\)$/m);
    await nvim.command("Parley image capture");
    const text = await nvim.untilText(/\.png\)\n!\[\]\(/);
    expect(new Set(text.match(/[0-9a-f]{64}\.png/g)).size).toBe(1);
    expect(await readdir(`${nvim.chatPath}.files`)).toHaveLength(1);
    await nvim.input("u");
    await nvim.until("one image", async () => !/\.png\)\n!\[\]/.test(await nvim.text()));
    await nvim.command("write");
  });

  it("are offered where they can be sent, and what is not an image is refused", async () => {
    const nvim = await open(path);
    await nvim.command("1");
    await nvim.command("Parley image");
    await said(nvim, /cursor is not in a question/);
    await nvim.command("Parley image screen");
    await said(nvim, /:Parley image takes clipboard or capture, not "screen"/);
    await nvim.lua(
      `require("parley").setup({ image_commands = {
         clipboard = { "cat", ... }, capture = { "no-such-program" },
       } })
       vim.cmd("Parley restart")`,
      join(nvim.home, "text.txt"),
    );
    await nvim.input("G");
    await nvim.command("Parley image");
    await said(nvim, /not a PNG, JPEG, GIF or WebP image, so nothing was kept/);
    await nvim.command("Parley image capture");
    await said(nvim, /no-such-program \(image_commands\.capture\) was not found/);
    expect(await nvim.text()).not.toContain("![](");
  });
});
