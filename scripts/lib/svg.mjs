// Draws screens as an SVG: a single one, or several in an endless animation.

const cell = { width: 8.4, height: 18 };
const margin = 14;
const hex = (colour) => `#${colour.toString(16).padStart(6, "0")}`;

/**
 * `frames` are `{ rows, ms, caption }`, with rows from `followScreen`; `ms` is how long each is shown. A row that is
 * the same in several frames is drawn once. `still` is the frame for viewers without animation or with reduced motion.
 */
export function toSvg({ frames, still = frames[0], colours, columns, title }) {
  const total = lengthOf(frames);
  const stillAt = lengthOf(frames.slice(0, frames.indexOf(still)));
  const rowCount = frames[0].rows.length;
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = Math.ceil((rowCount + 1) * cell.height + 2 * margin);
  const pieces = Array.from({ length: rowCount }, (_, row) =>
    spans(frames, (frame) => drawRow(frame.rows[row], row, colours)),
  ).flat();
  const captions = spans(frames, ({ caption = "" }) => drawCaption(caption, rowCount, width));
  const all = [...pieces, ...captions].filter(({ text }) => text !== "");
  const moving = all.filter(({ from, to }) => from > 0 || to < total);
  const times = [...new Set(moving.map(({ from, to }) => `${from} ${to}`))];
  const name = ({ from, to }) => `t${times.indexOf(`${from} ${to}`)}`;
  const groups = all.map((piece) => {
    return moving.includes(piece) ? `<g class="${name(piece)}">${piece.text}</g>` : piece.text;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.b{font-weight:700}.i{font-style:italic}${times.map((time, index) => timing(time, index, { total, stillAt })).join("")}</style>
<rect width="${width}" height="${height}" rx="8" fill="${hex(colours.background)}"/>
${groups.join("\n")}
</svg>
`;
}

function lengthOf(frames) {
  return frames.reduce((sum, { ms }) => sum + ms, 0);
}

function timing(time, index, { total, stillAt }) {
  const [from, to] = time.split(" ").map(Number);
  const percent = (ms) => `${((100 * ms) / total).toFixed(3)}%`;
  const steps = [
    ...(from > 0 ? [`0%{visibility:hidden}`] : []),
    `${percent(from)}{visibility:visible}`,
    ...(to < total ? [`${percent(to)}{visibility:hidden}`] : []),
    `100%{visibility:${to < total ? "hidden" : "visible"}}`,
  ];
  const shown = from <= stillAt && stillAt < to ? "visible" : "hidden";
  const motion = `@media (prefers-reduced-motion:no-preference){.t${index}{animation:t${index} ${total}ms step-end infinite}}`;
  return `.t${index}{visibility:${shown}}${motion}@keyframes t${index}{${steps.join("")}}`;
}

/** Returns what is drawn with its time span in milliseconds; equal neighbours are merged. */
function spans(frames, draw) {
  const found = [];
  let at = 0;
  for (const frame of frames) {
    const text = draw(frame);
    const last = found.at(-1);
    if (last?.text === text) last.to = at + frame.ms;
    else found.push({ text, from: at, to: at + frame.ms });
    at += frame.ms;
  }
  return found;
}

function drawRow(runs, row, colours) {
  const top = margin + row * cell.height;
  const x = (column) => (margin + column * cell.width).toFixed(1);
  const backgrounds = runs
    .filter(({ background }) => background !== colours.background)
    .map(({ column, width, background }) => {
      const size = `width="${(width * cell.width).toFixed(1)}" height="${cell.height}"`;
      return `<rect x="${x(column)}" y="${top}" ${size} fill="${hex(background)}"/>`;
    });
  const texts = runs
    .filter(({ text }) => text.trim() !== "")
    .flatMap((run) => words(run))
    .map(({ column, text, width, foreground, bold, italic }) => {
      const classes = [bold ? "b" : "", italic ? "i" : ""].filter(Boolean).join(" ");
      const kind = classes ? ` class="${classes}"` : "";
      const length = `textLength="${(width * cell.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
      return `<text x="${x(column)}" y="${top + 13}" ${length} fill="${hex(foreground)}"${kind}>${escapeXml(text)}</text>`;
    });
  return [...backgrounds, ...texts].join("");
}

/** Returns a run without blanks at its ends, which some viewers collapse. */
function words(run) {
  const lead = run.text.length - run.text.trimStart().length;
  const trail = run.text.length - run.text.trimEnd().length;
  return [
    { ...run, column: run.column + lead, width: run.width - lead - trail, text: run.text.trim() },
  ];
}

function drawCaption(caption, row, width) {
  if (caption === "") return "";
  const y = margin + row * cell.height;
  const size = caption.length * 9 + 22;
  const x = width - margin - size;
  return `<rect x="${x}" y="${y - 4}" width="${size}" height="24" rx="6" fill="#2f6feb"/><text x="${x + 11}" y="${y + 13}" class="b" fill="#ffffff">${escapeXml(caption)}</text>`;
}

function escapeXml(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
