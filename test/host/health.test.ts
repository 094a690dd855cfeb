/** What `:checkhealth parley` says of the machine, and that it agrees with what the program does. */
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

async function report(path: string, env: Record<string, string> = {}, init = ""): Promise<string> {
  editor = await TestNeovim.start({ path, chat: { text: "💬: hi\n" }, env, init });
  await editor.ready();
  await editor.command("checkhealth parley");
  return (await editor.untilText(/chats followed/)).replaceAll(/\s+/g, " ");
}

describe.each(oneNeovim)("health on Neovim $version", ({ path, version }) => {
  it("names versions, keys, folders and the model, with its reason", async () => {
    const text = await report(path, { OPENAI_API_KEY: "sk-never-shown-0123456789" });
    for (const words of [`Parley ${packageJson.version}`, `Neovim ${version}`, "Node ", "git "]) {
      expect(text).toContain(words);
    }
    expect(text).toMatch(/model: openai\/\S+ answers, since its key is there \(\$OPENAI_API_KEY\)/);
    expect(text).toContain("respond <C-g><C-g>");
    expect(text).toMatch(/chats: \S+\/data\/nvim\/parley/);
    expect(text).not.toContain("never-shown");
  });

  it("says what answers without a key, and which programs are not there", async () => {
    const bin = await mkdtemp(join(tmpdir(), "parley-bin-"));
    // It says nothing where it is given what the host has for itself alone.
    const git = '[ -z "$MALLOC_MMAP_THRESHOLD_" ] && echo git version 9.8.7';
    await writeFile(join(bin, "git"), `#!/bin/sh\n${git}\n`);
    await chmod(join(bin, "git"), 0o755);
    const text = await report(path, { PATH: bin });
    expect(text).toContain("mock/demo answers offline, since no key is set");
    expect(text).toContain("git 9.8.7");
    // Files are searched without any program.
    expect(text).not.toMatch(/rg is not on PATH/);
    expect(text).toContain("npm is not on PATH");
    expect(text).toMatch(/images from the clipboard: install/);
  });

  it("names the variable of a state folder that cannot be written", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-state-"));
    const file = join(folder, "file");
    await writeFile(file, "");
    const text = await report(path, { XDG_STATE_HOME: file });
    expect(text).toMatch(/state: \S+ cannot be written .* set \$XDG_STATE_HOME to another folder/);
  });

  it("names a second copy, and nothing where there is one", async () => {
    const other = await mkdtemp(join(tmpdir(), "parley-copy-"));
    await mkdir(join(other, "lua", "parley"), { recursive: true });
    await writeFile(join(other, "lua", "parley", "health.lua"), "");
    const text = await report(path, {}, `vim.opt.rtp:append(${JSON.stringify(other)})`);
    expect(text).toContain(`is used, ${other} not`);
    await editor?.cleanUp();
    expect(await report(path)).not.toContain("more than once");
  });

  it("says which keys are another plugin's, in chats and outside of them", async () => {
    const init = `vim.keymap.set("n", "]w", "<Nop>", { desc = "Next Warning" })
      vim.api.nvim_create_autocmd("User", { pattern = "ParleyAttach", callback = function(event)
        vim.keymap.set("n", "]]", "<Nop>", { buffer = event.data.buf, desc = "Next Reference" })
      end })`;
    const text = await report(path, {}, init);
    expect(text).toMatch(/WARNING \]\] is not next_turn in \S+\.md, but: Next Reference/);
    expect(text).toMatch(/what these keys do outside chats: .*\]w \(Next Warning\)/);
  });

  it("links pages of the help without what follows them", async () => {
    const init = `require("parley").setup({ keys = { stop = "<C-g>y", copy = "<C-g>y" }, hooks = {} })`;
    const text = await report(path, {}, init);
    expect(text).toContain(":help |parley-setup-keys|.");
    expect(text).toContain(":help |parley-events| and :help |parley-api|");
  });

  it("says which model the configuration chose", async () => {
    const init = `require("parley").setup({ model = "mock/demo" })`;
    expect(await report(path, {}, init)).toContain(
      "model: mock/demo answers, as the configuration says",
    );
  });
});
