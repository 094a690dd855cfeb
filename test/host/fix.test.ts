/** Problems are mended only by choice, in every supported Neovim. */
import { afterEach, describe, expect } from "vitest";
import { itInTurn, neovims, TestNeovim } from "../support/neovim.ts";

const text = `---
topic: fences
---

💬: show me code

🤖:[demo]

\`\`\`js
const a = 1;

💬: and now?
`;

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

/** Whether Neovim waits for a choice; older versions answer nothing else meanwhile. */
async function asks(nvim: TestNeovim): Promise<boolean> {
  const mode = await nvim.client.request("nvim_get_mode");
  return mode.blocking || mode.mode.startsWith("c") || mode.mode.startsWith("r");
}

async function openQuestion(nvim: TestNeovim): Promise<void> {
  await nvim.command("Parley fix");
  const end = Date.now() + 10_000;
  while (!(await asks(nvim))) {
    if (Date.now() > end) throw new Error("Neovim was not asked to choose.");
  }
}

describe.each(neovims)(":Parley fix in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("closes an open fence above the marker when that is chosen, in one undo step", async () => {
    const nvim = await TestNeovim.start({ path, chat: { text } });
    editor = nvim;
    await nvim.ready();
    const before = await nvim.text();
    await openQuestion(nvim);
    await nvim.input("<CR>");
    await nvim.until("no question", async () => !(await asks(nvim)));
    expect(await nvim.text()).toBe(before);
    await openQuestion(nvim);
    await nvim.input("1<CR>");
    await nvim.untilText(/const a = 1;\n```\n\n💬: and now\?/);
    await nvim.input("u");
    await nvim.until("the text as it was", async () => (await nvim.text()) === before);
  });

  it("offers a side of a conflict before what is only wrong in it", async () => {
    const sides =
      "<<<<<<< HEAD\n🤖:[a]\n\nours\n||||||| base\n=======\n🤖:[b]\n\ntheirs\n>>>>>>> other\n";
    const nvim = await TestNeovim.start({
      path,
      chat: { text: `---\ntopic: x\n---\n\n💬: hi\n\n${sides}` },
    });
    editor = nvim;
    await nvim.ready();
    await nvim.input("13G");
    await openQuestion(nvim);
    await nvim.input("2<CR>");
    await nvim.untilText(/💬: hi\n\n🤖:\[b\]\n\ntheirs$/);
  });

  it("says when there is nothing to mend", async () => {
    const nvim = await TestNeovim.start({ path, chat: { text: "---\ntopic: x\n---\n\n💬: hi\n" } });
    editor = nvim;
    await nvim.ready();
    await nvim.command("Parley fix");
    await nvim.until("the answer", async () =>
      /no problem in this chat/.test(await nvim.messages()),
    );
  });
});
