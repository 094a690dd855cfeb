/** A change of a text changes that text alone: what nobody was shown stays byte for byte. */
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileWorkspace } from "../../../src/app/files/file-workspace.ts";
import { saveInFilesFolder } from "../../../src/app/references/files.ts";
import fc from "../../support/property.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-files-"));
  file = join(folder, "text.txt");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function change(from: string, to: string): Promise<void> {
  const found = await fileWorkspace.read(file);
  if (found === null) throw new Error("There is no file.");
  const { text } = found;
  await fileWorkspace.write(file, { expected: text, text: text.replace(from, to) });
}

describe("a change of a file", () => {
  it("leaves every other byte as it was", async () => {
    const line = fc.tuple(fc.constantFrom("a", "", "é", "\r"), fc.constantFrom("\n", "\r\n"));
    const text = fc.tuple(fc.boolean(), fc.array(line, { maxLength: 6 }), fc.constantFrom("", "z"));
    await fc.assert(
      fc.asyncProperty(text, async ([hasMark, lines, end]) => {
        const before = `${hasMark ? "\ufeff" : ""}one${lines.flat().join("")}${end}`;
        writeFileSync(file, before);
        await change("one", "two");
        expect(readFileSync(file, "utf8")).toBe(before.replace("one", "two"));
      }),
      { numRuns: 60 },
    );
  });

  it("is not made where somebody else wrote meanwhile", async () => {
    writeFileSync(file, "one\n");
    const { writeFile } = files;
    files.writeFile = (async (...given: Parameters<typeof writeFile>) => {
      writeFileSync(file, "theirs\n");
      await writeFile(...given);
    }) as typeof writeFile;
    syncBuiltinESMExports();
    try {
      await expect(change("one", "two")).rejects.toThrow("has changed since it was read");
    } finally {
      files.writeFile = writeFile;
      syncBuiltinESMExports();
    }
    expect(readFileSync(file, "utf8")).toBe("theirs\n");
    expect(readdirSync(folder)).toEqual(["text.txt"]);
  });

  it("writes line ends as all of the file has them", async () => {
    writeFileSync(file, "one\r\ntwo\r\n");
    await change("one", "one\nmore");
    expect(readFileSync(file, "utf8")).toBe("one\r\nmore\r\ntwo\r\n");
  });

  it.skipIf(process.platform === "win32")(
    "shows nobody what the file shows to nobody, at no moment",
    async () => {
      writeFileSync(file, "secret\n");
      chmodSync(file, 0o640);
      const { chmod } = files;
      const modes: number[] = [];
      files.chmod = async (path, mode) => {
        modes.push(statSync(String(path)).mode & 0o777);
        return chmod(path, mode);
      };
      syncBuiltinESMExports();
      try {
        await change("secret", "other");
      } finally {
        files.chmod = chmod;
        syncBuiltinESMExports();
      }
      expect(modes).toEqual([0o600]);
      expect(statSync(file).mode & 0o777).toBe(0o640);
      expect(readdirSync(folder)).toEqual(["text.txt"]);
    },
  );
});

it.skipIf(process.platform === "win32")(
  "only the user can read copies beside a chat, whatever the folder is",
  async () => {
    const chat = join(folder, "chat.md");
    await files.mkdir(`${chat}.files`, { mode: 0o777 });
    const name = await saveInFilesFolder(chat, Buffer.from("secret"), "txt");
    expect(statSync(join(`${chat}.files`, name)).mode & 0o777).toBe(0o600);
  },
);
