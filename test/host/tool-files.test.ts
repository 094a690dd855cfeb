/** Tools of the user's own in every supported Neovim: offered, asked about, run, and read again when saved. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

function tools(greeting: string): string {
  return `export default ({ defineTool, z }) => [
  defineTool({
    name: "greet",
    description: "Greets somebody.",
    input: z.object({ name: z.string().refine((name) => name !== "", "write a name"), }),
    run: ({ name }) => {
      console.log("nothing may reach stdout");
      if (name === "nobody") throw new Error("Nobody is there.");
      return "${greeting} " + name;
    },
  }),
];
`;
}

const call = (id: number, name: string) => ({
  id: `call_${id}`,
  name: "greet",
  arguments: { name },
});

const script = {
  turns: [
    { calls: [call(1, "Ada"), call(2, "nobody"), call(3, "")] },
    { text: "First." },
    { calls: [call(4, "Bob")] },
    { text: "Second." },
  ],
};

async function open(path: string, text: string): Promise<TestNeovim> {
  const home = await mkdtemp(join(tmpdir(), "parley-test-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "tools.mjs"), text);
  await writeFile(join(home, "script.json"), JSON.stringify(script));
  const chat = `---\ntopic: greetings\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: greet\n`;
  const init = `vim.api.nvim_create_autocmd("User", {
    pattern = "ParleyDone",
    callback = function() vim.g.turns_done = (vim.g.turns_done or 0) + 1 end,
  })`;
  editor = await TestNeovim.start({ path, home, init, chat: { text: chat } });
  await editor.ready();
  return editor;
}

function toolFile({ home }: TestNeovim): string {
  return join(home, "config", "nvim", "parley", "tools.mjs");
}

describe.each(oneNeovim)("tools of one's own in Neovim $version", ({ path }) => {
  it("wait for the same keys, fail with their message, and are read again when saved", async () => {
    const nvim = await open(path, tools("Hello"));
    await nvim.input("G<C-g><C-g>");
    // Arguments that do not fit are answered at once; only the other two wait.
    await nvim.untilText(/call_3\] \(error\)\n\n.*write a name/);
    await nvim.untilText(/^❓: `.*Ada/m);
    await nvim.until("the keys named", async () => /ya all/.test(await nvim.virtualText()));
    await nvim.input("gg/^❓: <CR>ya");
    const text = await nvim.untilText(/First\.\n\n💬: $/);
    expect(text).toMatch(/🛠️: \[greet\]\[call_1\]\n\n`Hello Ada`/);
    expect(text).toMatch(
      /🛠️: \[greet\]\[call_2\] \(error\)\n\n`The tool greet failed: Nobody is there\.`/,
    );
    expect(text).not.toContain("tools.mjs");

    await nvim.until(
      "the end of the turn",
      async () => (await nvim.lua("return vim.g.turns_done")) === 1,
    );
    await writeFile(toolFile(nvim), tools("Good evening"));
    await nvim.input("GAagain<Esc><C-g><C-g>");
    await nvim.untilText(/^❓: `.*Bob/m);
    await nvim.until("the keys named", async () => /ya all/.test(await nvim.virtualText()));
    await nvim.input("G$?^❓: <CR>ya");
    expect(await nvim.untilText(/Second\.\n\n💬: $/)).toContain("`Good evening Bob`");
  });

  it("with a mistake in the file are left out, and the line is named", async () => {
    const nvim = await open(path, "export default () => [\n  oops: 1,\n];\n");
    await nvim.input("G<C-g><C-g>");
    await nvim.untilText(/There is no tool \\?"greet/);
    await nvim.until("the mistake", async () => /tools\.mjs:2:/.test(await nvim.messages()));
    await nvim.command("checkhealth parley");
    await nvim.untilText(/tools\.mjs:2: [\s\S]*Fix the file and save it[\s\S]*server mock answers/);
  });
});
