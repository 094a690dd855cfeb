/** doc/screens.md shows all screens that the script makes, and each fits a small terminal. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { pictureName, scenes, size } from "../../scripts/lib/screens.mjs";

const page = readFileSync(join(projectRoot, "doc", "screens.md"), "utf8");
const screens = [...page.matchAll(/^## ([^\n]*)\n\n([^\n]*)\n\n````text\n(.*?)\n````$/gms)];

it("doc/screens.md shows every screen of the script in the same order", () => {
  expect(screens.map(([, name, about]) => ({ name, about }))).toEqual(
    scenes.map(({ name, about }) => ({ name, about })),
  );
});

it.each(screens.map(([, name = "", , text = ""]) => ({ name, text })))(
  "$name fits the terminal, shows its subject, and contains no folder of the machine",
  ({ name, text }) => {
    const rows = text.split("\n");
    expect(rows.length).toBeLessThanOrEqual(size.rows);
    for (const row of rows) expect([...row].length).toBeLessThanOrEqual(size.columns);
    expect(text).toMatch(scenes.find((scene) => scene.name === name)?.seen ?? /^$/);
    expect(text).not.toMatch(/\/tmp\/|parley-demo-/);
    for (const background of ["dark", "light"]) {
      const file = join(projectRoot, "doc", "screens", pictureName(name, background));
      expect(readFileSync(file, "utf8")).toContain("</svg>");
    }
  },
);
