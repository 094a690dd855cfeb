/** What is kept in the state folder is believed as long as nobody else may write there. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkRights } from "../../../src/app/state/own-files.ts";
import { isOwn } from "../../../src/system/ownership.ts";
import { folderWith } from "../../scripts/folder.ts";

it("is told where the file system lets everybody write, and nothing is left there", () => {
  const folder = join(folderWith({}), "state");
  checkRights(folder);
  const open = (file: { readonly uid: number }) => isOwn({ ...file, mode: 0o100777 }, reader);
  const reader = { platform: "linux", uid: process.getuid?.() ?? 0 } as const;
  expect(() => checkRights(folder, open)).toThrow("lets everybody write there");
  expect(readdirSync(folder)).toEqual([]);
});
