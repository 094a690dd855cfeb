/** Where the cursor is, with the line it is on, as the rules of doc/cursor.md speak of it. */
import { z } from "zod";
import type { TestNeovim } from "./neovim.ts";

const where = z.object({ line: z.string(), col: z.number(), last: z.number(), mode: z.string() });

export async function look(nvim: TestNeovim): Promise<z.infer<typeof where>> {
  return where.parse(
    await nvim.lua(`return {
      line = vim.fn.getline("."), col = vim.fn.col("."),
      last = vim.fn.col("$"), mode = vim.api.nvim_get_mode().mode,
    }`),
  );
}

export const untilOn = (nvim: TestNeovim, line: RegExp) =>
  nvim.until(`the cursor on ${line}`, async () => line.test((await look(nvim)).line));
