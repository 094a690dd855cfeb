/** `npm run dev` finds running Neovims and restarts their hosts. */
import { afterEach, describe, expect, it } from "vitest";
import { restartHosts } from "../../scripts/lib/running-neovims.mjs";
import { type Editor, neovims, poll, startEditor } from "../lua/editor.ts";

describe.each(neovims)("restartHosts on Neovim $version", (neovim) => {
  let editor: Editor | undefined;

  afterEach(() => editor?.quit());

  it("restarts the host of an editor that has Parley", async () => {
    editor = await startEditor(neovim);
    const { openChat, received, nvim } = editor;
    await openChat("a.md", ["💬: one"]);
    const address = String(await nvim.call("eval", ["v:servername"]));
    expect(await restartHosts(address)).toEqual([
      { name: address, said: "the host was started again" },
    ]);
    await poll("the second host", async () => (await received("setup")).length === 2);
  });

  // A Neovim in daily use may be running the released plugin, in the middle of an answer.
  it("skips an editor with another copy of Parley that was only discovered", async () => {
    editor = await startEditor(neovim);
    const { openChat, received, nvim } = editor;
    await openChat("a.md", ["💬: one"]);
    const address = String(await nvim.call("eval", ["v:servername"]));
    expect(await restartHosts("", async () => [address])).toEqual([]);
    expect(await received("setup")).toHaveLength(1);
  });

  it("skips an editor without Parley and reports an address that cannot be reached", async () => {
    editor = await startEditor(neovim);
    const address = String(await editor.nvim.call("eval", ["v:servername"]));
    expect(await restartHosts(address)).toEqual([]);
    const [answer] = await restartHosts("/nowhere/socket");
    expect(answer?.said).toContain("cannot be reached");
  });
});
