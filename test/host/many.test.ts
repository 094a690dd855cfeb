/** Ten editors of one user at once: the same folders, the same state, and nobody disturbs another. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { neovims, TestNeovim } from "../support/neovim.ts";
import { processesWith } from "../support/processes.ts";

const editors: TestNeovim[] = [];
afterEach(async () => {
  await Promise.all(editors.splice(0).map((editor) => editor.cleanUp()));
});

const count = 10;
/** What a Neovim says of a host that ten of them at once leave too little of the machine. */
const slowHost =
  /^Parley's host has not answered for 2 seconds, so your request waits; .* stops it\.\n?/gm;
const question = (number: number) => `question ${number}`;

async function script(home: string, number: number): Promise<string> {
  const search = (id: string, query: string) => ({
    calls: [{ id, name: "web_search", arguments: { query } }],
  });
  const path = join(home, `script${number}.json`);
  const turns = [
    search("c1", question(number)),
    search("c2", `again ${question(number)}`),
    { text: `Answer ${number}.` },
  ];
  await writeFile(path, JSON.stringify({ turns }));
  return path;
}

/** One chat from its question to its answer; the first yes is remembered, so the second call asks nobody. */
async function converse(path: string, home: string, number: number): Promise<TestNeovim> {
  const model = `mock/file:${await script(home, number)}`;
  const text = `---\ntopic: many\nmodel: ${model}\n---\n\n💬: ${question(number)}\n`;
  const editor = await TestNeovim.start({ path, home, chat: { name: `chat${number}.md`, text } });
  editors.push(editor);
  const patience = 60_000;
  await editor.until(
    "the host",
    async () => {
      return (await editor.client.call("maparg", ["<C-g><C-g>", "n"])) !== "";
    },
    patience,
  );
  await editor.input("G<C-g><C-g>");
  await editor.untilText(/^❓: `.*c1/m, patience);
  await editor.until("the keys", async () => /ya all/.test(await editor.virtualText()), patience);
  await editor.input("gg/^❓: `<CR>yA");
  await editor.until(
    "the answer in its file",
    async () => (await editor.file()).includes(`Answer ${number}.\n\n💬: `),
    patience,
  );
  return editor;
}

describe("ten Neovims at once", () => {
  const newest = neovims.at(-1);
  it.skipIf(newest === undefined)(
    "answer, remember, and end, each for itself",
    async () => {
      const home = await mkdtemp(join(tmpdir(), "parley-many-"));
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      const all = await Promise.all(
        numbers.map((number) => converse(newest?.path ?? "", home, number)),
      );
      for (const [index, editor] of all.entries()) {
        const number = index + 1;
        const text = await readFile(editor.chatPath, "utf8");
        expect(text.match(/^❓:\[yA\] /gm)).toHaveLength(2);
        expect(text).toContain(`Answer ${number}.`);
        for (const other of numbers.filter((each) => each !== number)) {
          expect(text).not.toContain(`Answer ${other}.`);
        }
        expect((await editor.messages()).replace(slowHost, "")).toBe("");
      }
      await Promise.all(all.map((editor) => editor.quit()));
      await expect.poll(() => processesWith(home), { timeout: 3000 }).toEqual([]);
    },
    120_000,
  );
});
