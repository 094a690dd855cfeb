/** Real keys on a real screen of 80×24, through one Neovim: what doc/screens.md shows is seen, and can be read. */
import { expect, it } from "vitest";
import { faintTexts, recordScreens, scenes, size } from "../../scripts/lib/screens.mjs";
import { oneNeovim } from "../support/neovim.ts";

it.each(oneNeovim)(
  "each screen is there, fits and has a contrast of 4.5 in Neovim $version",
  async ({ path }) => {
    const { screens } = await recordScreens({ path }, "light");
    expect(screens).toHaveLength(scenes.length);
    for (const { name, text, rows } of screens) {
      expect(text.split("\n").length, name).toBeLessThanOrEqual(size.rows);
      expect(faintTexts(rows), name).toEqual([]);
      // Neither a list nor a message may hide what comes next behind a prompt.
      expect(text, name).not.toMatch(/Press ENTER|-- More --/);
    }
  },
  120_000,
);
