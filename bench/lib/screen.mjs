/** Keeps what Neovim draws as a grid of cells. */
import { now } from "./clock.mjs";

const width = 120;
const height = 40;

/**
 * Follows the words of one answer of the model server: `seen[index]` is the end of the first redraw that showed this
 * word or a later one.
 */
export function watchScreen(client) {
  let rows = [];
  let pattern = null;
  const dirty = new Set();
  const screen = { newest: -1, seen: [], onFlush: null, follow };

  function follow(tag) {
    pattern = new RegExp(`\\bw${tag}x(\\d+)\\b`, "g");
    screen.newest = -1;
    screen.seen = [];
  }
  function clear() {
    rows = Array.from({ length: height }, () => new Array(width).fill(" "));
  }
  function drawLine([, row, column, cells]) {
    let at = column;
    for (const [text, , times = 1] of cells) {
      for (let count = 0; count < times; count += 1) rows[row][at++] = text;
    }
    dirty.add(row);
  }
  function scroll([, top, bottom, , , by]) {
    const moved = rows.map((cells, row) => {
      const from = row + by;
      const isMoved = row >= top && row < bottom && from >= top && from < bottom;
      return isMoved ? [...rows[from]] : cells;
    });
    rows = moved;
  }
  function look(at) {
    for (const row of pattern === null ? [] : dirty) {
      for (const [, digits] of rows[row].join("").matchAll(pattern)) {
        const index = Number(digits);
        for (let next = screen.newest + 1; next <= index; next += 1) screen.seen[next] = at;
        screen.newest = Math.max(screen.newest, index);
      }
    }
    dirty.clear();
    screen.onFlush?.(at);
  }
  clear();
  client.on("notification", (method, events) => {
    if (method !== "redraw") return;
    const at = now();
    for (const [name, ...calls] of events) {
      if (name === "grid_line") for (const call of calls) drawLine(call);
      else if (name === "grid_scroll") for (const call of calls) scroll(call);
      else if (name === "grid_clear") clear();
      else if (name === "flush") look(at);
    }
  });
  return screen;
}
