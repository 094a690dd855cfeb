/** What is drawn below open calls stays right below them, whatever is written at the end of the chat. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { neovims } from "../support/neovims.ts";
import { poll } from "./editor.ts";
import { startWithOpenCalls, type WaitingEditor } from "./open-calls.ts";

describe.each(neovims)("the details of open calls on Neovim $version", (neovim) => {
  let waiting: WaitingEditor;
  beforeEach(async () => {
    waiting = await startWithOpenCalls(neovim);
  });
  afterEach(() => waiting.editor.quit());

  /** The rows from the last call's details on. */
  const below = async () => {
    const rows = (await waiting.editor.screen()).map((row) => row.trimEnd());
    return rows.slice(rows.findIndex((row) => row.includes("query: 7")));
  };

  it("are above a question that is brought in, and a line that is typed there", async () => {
    const { editor } = waiting;
    await waiting.show([7, 8], { whole: false });
    await poll("the details", async () => (await below()).length > 2);
    await editor.lua("require('parley.bring').ask({ words = { 'why?' } })");
    await poll("the question", async () => (await below())[2]?.startsWith("💬: why?"));
    await editor.press("<Esc>9Gobelow<Esc>");
    await poll("the line", async () => (await below())[1] === "below");
    expect(await editor.lines()).toContain("💬: why?");
  });
});
