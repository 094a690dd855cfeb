// Tracks a Neovim's screen, cell by cell with colours, from its UI events.

/** Follows the screen of `client`, which has a UI of `columns` by `rows` cells attached with `rgb`. */
export function followScreen(client, columns, rows) {
  const empty = () => Array.from({ length: columns }, () => ({ text: " ", style: 0 }));
  const screen = {
    cells: Array.from({ length: rows }, empty),
    styles: new Map([[0, {}]]),
    colours: { foreground: 0xffffff, background: 0 },
    cursor: [0, 0],
  };
  const draw = {
    grid_clear() {
      screen.cells = screen.cells.map(empty);
    },
    grid_line([, row, start, cells]) {
      let [column, style] = [start, 0];
      for (const [text, given, repeat = 1] of cells) {
        style = given ?? style;
        for (let count = 0; count < repeat; count += 1, column += 1) {
          screen.cells[row][column] = { text, style };
        }
      }
    },
    grid_scroll([, top, bottom, , , by]) {
      const before = screen.cells.map((row) => [...row]);
      for (let row = top; row < bottom; row += 1) {
        if (row + by >= top && row + by < bottom) screen.cells[row] = before[row + by];
      }
    },
    grid_cursor_goto([, row, column]) {
      screen.cursor = [row, column];
    },
    hl_attr_define([id, style]) {
      screen.styles.set(id, style);
    },
    default_colors_set([foreground, background]) {
      screen.colours = { foreground, background };
    },
  };
  client.on("notification", (method, events) => {
    if (method !== "redraw") return;
    for (const [name, ...calls] of events) {
      for (const call of calls) draw[name]?.(call);
    }
  });
  return {
    /** Returns the rows as runs of equal style: `{ column, width, text, foreground, background, bold, italic }`. */
    rows: () => screen.cells.map((row) => runsOf(row, screen)),
    colours: () => screen.colours,
    text: () => screen.cells.map((row) => row.map(({ text }) => text).join("")).join("\n"),
  };
}

function runsOf(row, screen) {
  const runs = [];
  let column = 0;
  for (const { text, style } of row) {
    const last = runs.at(-1);
    if (last?.style === style) {
      last.text += text;
      last.width += 1;
    } else {
      runs.push({ column, width: 1, text, style });
    }
    column += 1;
  }
  return runs.map(({ style, ...run }) => ({ ...run, ...coloursOf(style, screen) }));
}

function coloursOf(id, { styles, colours }) {
  const { foreground, background, reverse, bold, italic } = styles.get(id) ?? {};
  const [front, back] = [foreground ?? colours.foreground, background ?? colours.background];
  return {
    foreground: reverse ? back : front,
    background: reverse ? front : back,
    bold: bold === true,
    italic: italic === true,
  };
}
