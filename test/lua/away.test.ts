/** Messages about chats that are on no screen, and the way there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneNeovim } from "../support/neovims.ts";
import { type Editor, startEditor } from "./editor.ts";

const call = '❓: `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`';
const text = (topic: string) => ["---", `topic: ${topic}`, "---", "", "💬: a", "", "🤖:[x]", call];

describe.each(oneNeovim)("news of a chat in Neovim $version", (neovim) => {
  let editor: Editor;
  let gold: number;
  let tin: number;
  beforeAll(async () => {
    editor = await startEditor(neovim);
    gold = await editor.openChat("gold.md", text('"Gold"'));
    tin = await editor.openChat("2026-tin.md", text("?"));
    await editor.openChat("here.md", text("Here"));
  });
  afterAll(() => editor.quit());

  const said = async () => {
    const all = await editor.lua<string[]>("return Notified");
    await editor.lua("Notified = {}");
    return all;
  };
  const end = (buf: number, data: Record<string, unknown>) =>
    editor.call("event", "ParleyEnd", { buf, ...data });
  const place = () => editor.lua("return { vim.fn.expand('%:t'), vim.fn.line('.') }");
  const counts = () => editor.lua("return require('parley').news()");
  const next = () => editor.nvim.command("Parley next");

  it("is reported once, with its name and the way there, until it was looked at", async () => {
    await end(gold, { reason: "await-approval", calls: 2 });
    await end(tin, { reason: "done" });
    await end(gold, { reason: "done" });
    expect(await said()).toEqual([
      "Gold: 2 calls wait. :Parley next goes there.",
      "2026-tin: The answer has arrived. :Parley next goes there.",
    ]);
    expect(await counts()).toBe("Parley: 1 waits, 1 answered");
    await next();
    expect(await counts()).toBe("Parley: 1 answered");
    expect(await place()).toEqual(["gold.md", 8]);
    await end(gold, { reason: "done" });
    await editor.nvim.command("tabnew");
    await end(gold, { reason: "await-approval", calls: 1 });
    expect(await said()).toEqual(["Gold: 1 call waits. :Parley next goes there."]);
    await next();
    expect(await place()).toEqual(["2026-tin.md", 8]);
  });

  it("leads to the window that has the chat, in any tab page", async () => {
    const before = await editor.lua("return #vim.api.nvim_list_wins()");
    await next();
    expect(await place()).toEqual(["gold.md", 8]);
    expect(await editor.lua("return vim.fn.tabpagenr()")).toBe(1);
    expect(await editor.lua("return #vim.api.nvim_list_wins()")).toBe(before);
  });

  it("leaves a list from which one goes there", async () => {
    await editor.nvim.command("tabonly | only | edit here.md");
    await end(tin, { reason: "done" });
    await editor.nvim.command("copen");
    await next();
    expect(await place()).toEqual(["2026-tin.md", 8]);
    const kinds =
      "return vim.tbl_map(function(win) return vim.fn.win_gettype(win) end, vim.api.nvim_list_wins())";
    expect(await editor.lua(kinds)).toEqual(["", "quickfix"]);
    await editor.lua("Notified = {}");
    await editor.nvim.command("cclose | buffer gold.md");
  });

  it("is the reason why a turn failed, told once; on screen it needs no name", async () => {
    const reason = "OpenAI accepts no more requests for now.";
    await editor.call("tell", tin, "error", reason);
    await editor.call("tell", tin, "error", reason);
    await end(tin, { reason: "failed", message: reason });
    await editor.call("tell", gold, "error", reason);
    await end(gold, { reason: "failed", message: reason });
    expect(await said()).toEqual([`2026-tin: ${reason} :Parley next goes there.`, reason]);
    expect(await counts()).toBe("Parley: 1 failed");
  });

  it("of a chat that was closed is reported as it is", async () => {
    await editor.nvim.command(`bdelete ${tin}`);
    await editor.call("tell", tin, "warn", "The chat was closed.");
    await end(tin, { reason: "gone" });
    expect(await said()).toEqual(["The chat was closed."]);
    expect(await editor.lua("return require('parley.messages.away').next()")).toBeNull();
    expect(await counts()).toBe("");
  });
});
