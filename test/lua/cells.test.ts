/** What is approved is shown whole: Neovim draws what joins into one character in a cell, and of that so many bytes. */
import { afterEach, expect, it } from "vitest";
import { visible } from "../../src/shared/visible.ts";
import { oneNeovim } from "../support/neovims.ts";
import fc from "../support/property.ts";
import { type Editor, startEditor } from "./editor.ts";

let editor: Editor | undefined;
afterEach(async () => {
  await editor?.quit();
  editor = undefined;
});

const pieces = [
  ..."aक\u094dष\u093eാർൎ👩🏽❤ᄀ각\u1161\u11a8\uff9eကမ\u1039្កៈཀྵ\u0301\u0338日🇩🇪\u{111c2}\u{11d46}\u0903",
];
const joiner = "\u200d";
const texts = fc
  .uniqueArray(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 })
  .chain((few) => fc.array(fc.constantFrom(...few, ...few, joiner), { maxLength: 16 }))
  .map((letters) => visible(`x${letters.join("")}y`));

const shown = `
  local texts, missing = ..., {}
  vim.o.columns = 300
  for _, text in ipairs(texts) do
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { text })
    vim.cmd("redraw!")
    local cells = {}
    for column = 1, 300 do cells[column] = vim.fn.screenstring(1, column) end
    if table.concat(cells):gsub("%s+$", "") ~= text then missing[#missing + 1] = text end
  end
  return missing`;

it.each(oneNeovim)(
  "what is made visible is on the screen of Neovim $version to its last mark",
  async (neovim) => {
    editor = await startEditor(neovim);
    await editor.lua(
      "vim.cmd('enew! | setlocal nonumber signcolumn=no foldcolumn=0 conceallevel=0')",
    );
    expect(await editor.lua(shown, fc.sample(texts, 2000))).toEqual([]);
  },
);
