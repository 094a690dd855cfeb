/** What a user sees, from the events Neovim draws with: it draws on while it waits for a key and answers nothing. */
import { z } from "zod";
import type { TestNeovim } from "./neovim.ts";

const cells = z.array(z.tuple([z.string()]).rest(z.unknown()));
const gridLine = z.tuple([z.number(), z.number(), z.number(), cells]).rest(z.unknown());
const gridScroll = z
  .tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()])
  .rest(z.unknown());

export interface Screen {
  text(): string;
}

const watched = new WeakMap<TestNeovim["client"], Screen>();

/** Follows the screen from here on. */
export async function watchScreen(editor: Pick<TestNeovim, "client" | "command">): Promise<Screen> {
  const screen = watched.get(editor.client) ?? follow(editor.client);
  watched.set(editor.client, screen);
  await editor.command("redraw!");
  return screen;
}

function follow(client: TestNeovim["client"]): Screen {
  const rows: string[][] = [];
  client.on("notification", (method: string, events: unknown) => {
    if (method !== "redraw") return;
    for (const [name, ...calls] of z.array(z.array(z.unknown())).parse(events)) {
      for (const call of calls) draw(rows, name, call);
    }
  });
  return { text: () => rows.map((row) => row.join("").trimEnd()).join("\n") };
}

function draw(rows: string[][], name: unknown, call: unknown): void {
  if (name === "grid_clear") rows.length = 0;
  if (name === "grid_line") {
    const [, row, start, drawn] = gridLine.parse(call);
    const line = rowAt(rows, row);
    let column = start;
    for (const [text, , repeat] of drawn) {
      for (let count = typeof repeat === "number" ? repeat : 1; count > 0; count -= 1) {
        line[column] = text;
        column += 1;
      }
    }
  }
  if (name !== "grid_scroll") return;
  const [, top, bottom, , , by] = gridScroll.parse(call);
  const before = rows.map((row) => [...row]);
  for (let row = top; row < bottom; row += 1) {
    const from = row + by;
    if (from >= top && from < bottom) rows[row] = before[from] ?? [];
  }
}

function rowAt(rows: string[][], row: number): string[] {
  for (let index = rows.length; index <= row; index += 1) rows.push([]);
  const line = rows[row] ?? [];
  rows[row] = line;
  return line;
}
