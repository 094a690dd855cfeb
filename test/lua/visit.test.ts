/** Which Markdown files are chats: the Lua half and the host say the same. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { summariseChat } from "../../src/app/chats/summary.ts";
import { chatTexts } from "../support/chat-texts.ts";
import fc from "../support/property.ts";
import { type Editor, neovims, startEditor } from "./editor.ts";

describe.each(neovims)("a chat on Neovim $version", (neovim) => {
  let editor: Editor;

  beforeAll(async () => {
    editor = await startEditor(neovim);
  });
  afterAll(() => editor.quit());

  const inLua = (texts: readonly (readonly string[])[]) =>
    editor.lua<boolean[]>(
      `return vim.tbl_map(function(lines)
        return require('parley.text.chat_text').is_chat(function(first)
          return vim.list_slice(lines, first + 1, first + 2)
        end)
      end, ...)`,
      texts,
    );

  it("is told alike by both halves", async () => {
    const said = await inLua(chatTexts.map(({ lines }) => lines));
    expect(chatTexts.map(({ name }, index) => [name, said[index]])).toEqual(
      chatTexts.map((text) => [text.name, text.isChat]),
    );
  });

  it("is told alike whatever lines come together", async () => {
    const line = fc.constantFrom(
      ...["---", "--- ", "topic: x", "topic : x", "topic+: x", "# topic: x", "- model: y"],
      ...["", "words", "  topic: x", "topics: x", "💬: x", "🤖: x", "🧠: x", "\\💬: x", "title: x"],
    );
    const texts = fc.sample(fc.array(line, { minLength: 1, maxLength: 6 }), {
      numRuns: 1500,
      seed: 7,
    });
    const said = await inLua(texts);
    const differing = texts.filter(
      (lines, index) => (summariseChat(lines.join("\n")).state !== "none") !== said[index],
    );
    expect(differing).toEqual([]);
  });

  it("is opened as one, and a note with a topic in its text is left alone", async () => {
    const mapped = (name: string) =>
      editor.lua<boolean>(
        "vim.cmd.edit((...)); return vim.fn.maparg('<C-g><C-g>', 'n') ~= ''",
        editor.writeChat(
          name,
          chatTexts.find((text) => text.name === name.slice(0, -3))?.lines ?? [],
        ),
      );
    expect(await mapped("a topic in the body.md")).toBe(false);
    expect(await mapped("a topic in a header.md")).toBe(true);
  });
});
