/** Mistakes in config.json and in setup() as a person meets them: named, harmless, and still there in checkhealth. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { neovims, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const file = `{
  "keys": { "respond": 5, "stpo": "<C-s>" },
  "fold_results": "no",
  "modle": "mock/demo", // a comment
}`;

const sentences = [
  "config.json:2: keys.respond: write a key such as",
  "config.json:2: keys.stpo: there is no such key; did you mean stop?",
  "config.json:3: fold_results: write a number of lines, or false",
  "config.json:4: modle: there is no such key; did you mean model?",
  "setup: keys: write a table",
];

describe.each(neovims)("a wrong configuration in Neovim $version", ({ path }) => {
  it("costs what is wrong and nothing else, and is named until it is mended", async () => {
    const home = await mkdtemp(join(tmpdir(), "parley-test-"));
    await mkdir(join(home, "config", "nvim", "parley"), { recursive: true });
    await writeFile(join(home, "config", "nvim", "parley", "config.json"), file);
    const init = 'require("parley").setup({ keys = "oops", model = "mock/demo" })';
    const chat = { text: "---\ntopic: x\n---\n\n💬: hello\n" };
    const nvim = await TestNeovim.start({ path, home, init, chat });
    editor = nvim;
    await nvim.ready();
    await nvim.until("every sentence", async () => {
      const said = (await nvim.messages()).replaceAll(/\s+/g, " ");
      return sentences.every((sentence) => said.includes(sentence));
    });
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/^🤖:/m);
    expect(await nvim.messages()).not.toMatch(/traceback|E5108/);
    await nvim.command("checkhealth parley");
    const report = (await nvim.untilText(/chats followed/)).replaceAll(/\s+/g, " ");
    for (const sentence of sentences) expect(report).toContain(sentence);
  });
});
