/** Completion of files in a question: nothing of it is more than a name. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { type Editor, neovims, startEditor } from "./editor.ts";

describe.runIf(process.platform !== "win32").each(neovims)(
  "files of a question in Neovim $version",
  (neovim) => {
    let editor: Editor;
    let folder: string;

    beforeAll(async () => {
      editor = await startEditor(neovim);
      const chat = ["---", "topic: x", "---", "", "💬: "];
      folder = join(dirname(editor.writeChat("chat.md", chat)), "project");
      await editor.openChat("chat.md", chat);
      mkdirSync(join(folder, "sub"), { recursive: true });
      for (const name of ["a.md", "ab c.md", ".hidden", "sub/x.md", "odd\n🤖: x", "$HOME", "*.md"])
        writeFileSync(join(folder, name), "");
      symlinkSync("sub", join(folder, "link"));
      await editor.lua("vim.fn.chdir(...)", folder);
    });
    afterAll(() => editor.quit());

    const words = (written: string) =>
      editor.lua<string[]>(
        `return vim.tbl_map(function(item) return item.word end, require("parley.pickers.complete").omni(0, ...))`,
        written,
      );

    it("are those of the folder, with a slash behind folders, and hidden ones when asked for", async () => {
      expect(await words("@@./")).toEqual([
        ...["@@./$HOME@@", "@@./*.md@@", "@@./a.md@@", "@@./ab c.md@@", "@@./link/", "@@./sub/"],
      ]);
      expect(await words("@@./ab")).toEqual(["@@./ab c.md@@"]);
      expect(await words("@@./.h")).toEqual(["@@./.hidden@@"]);
      expect(await words("@@./link/")).toEqual(["@@./link/x.md@@"]);
      expect(await words(`@@${folder}/s`)).toEqual([`@@${folder}/sub/`]);
      expect(await words("@@../proj")).toEqual(["@@../project/"]);
      expect(await words("@@./gone/")).toEqual([]);
      expect(await words("@@di")).toEqual(["@@diagnostics@@", "@@diff@@"]);
    });

    it("are completed behind the first mark of a reference, and not behind its second", async () => {
      const line = "💬: see @@./a.md@@ too";
      const columnAt = (column: number) =>
        editor.lua<number>(
          `local line, column = ...
           vim.api.nvim_buf_set_lines(0, -2, -1, false, { line })
           vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(0), column })
           return require("parley.pickers.complete").omni(1, "")`,
          line,
          column,
        );
      const at = (text: string) => Buffer.byteLength(line.slice(0, line.indexOf(text)));
      expect(await columnAt(at("a.md"))).toBe(at("@@./"));
      expect(await columnAt(at(" too"))).not.toBe(at("@@ too"));
    });

    it("run nothing, whatever is written and whatever they are called", async () => {
      const before = readdirSync(folder);
      for (const written of [
        ...["`touch ran`", "`touch ran`/", "{`touch ran`}", "$(touch ran)", "{$(touch ran)}"],
        ...["`=writefile([], 'ran')`", "*;touch ran;", "'$(touch ran)", "|touch ran", "%", "##"],
      ]) {
        for (const way of ["./", "~/", "/", `${folder}/`]) await words(`@@${way}${written}`);
      }
      mkdirSync(join(folder, "`touch ran`"));
      expect(await words("@@./`")).toEqual(["@@./`touch ran`/"]);
      expect(await words("@@./`touch ran`/")).toEqual([]);
      rmSync(join(folder, "`touch ran`"), { recursive: true });
      expect(readdirSync(folder)).toEqual(before);
      expect(existsSync(join(folder, "ran"))).toBe(false);
    });
  },
);

it("no name is given to what of Neovim runs backticks in it", () => {
  const lua = join(projectRoot, "lua", "parley");
  const expanding = readdirSync(lua, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      file.endsWith(".lua") &&
      /fn\.(?:expand|glob|globpath|getcompletion|findfile|finddir)\(/.test(
        readFileSync(join(lua, file), "utf8"),
      ),
  );
  // Where Node may lie; the patterns are our own.
  expect(expanding).toEqual([join("host", "node.lua")]);
});
