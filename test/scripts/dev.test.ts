/** `npm run dev` finds the Neovims that run and has their host started again. */
import { afterEach, describe, expect, it } from "vitest";
import { restartHosts } from "../../scripts/lib/running-neovims.mjs";
import { type Editor, neovims, poll, startEditor } from "../lua/editor.ts";

describe.each(neovims)("a new build on Neovim $version", (neovim) => {
  let editor: Editor | undefined;

  afterEach(() => editor?.quit());

  it("is started in an editor that has Parley, once for each build", async () => {
    editor = await startEditor(neovim);
    const { openChat, received, nvim } = editor;
    await openChat("a.md", ["💬: one"]);
    const address = String(await nvim.call("eval", ["v:servername"]));
    expect(await restartHosts(address)).toEqual([
      { name: address, said: "the host was started again" },
    ]);
    await poll("the second host", async () => (await received("setup")).length === 2);
  });

  // The release in a Neovim of every day may be in the middle of an answer.
  it("leaves an editor with another copy of Parley alone, unless it is named", async () => {
    editor = await startEditor(neovim);
    const { openChat, received, nvim } = editor;
    await openChat("a.md", ["💬: one"]);
    const address = String(await nvim.call("eval", ["v:servername"]));
    expect(await restartHosts("", async () => [address])).toEqual([]);
    expect(await received("setup")).toHaveLength(1);
  });

  it("leaves an editor without Parley alone, and says which cannot be reached", async () => {
    editor = await startEditor(neovim);
    const address = String(await editor.nvim.call("eval", ["v:servername"]));
    expect(await restartHosts(address)).toEqual([]);
    const [answer] = await restartHosts("/nowhere/socket");
    expect(answer?.said).toContain("cannot be reached");
  });
});
