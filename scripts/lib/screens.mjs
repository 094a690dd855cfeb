// Records the screens of doc/screens.md at 80×24, from a real Neovim with the offline model.
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

export const size = { columns: 80, rows: 24 };

const call = (id, name, values) =>
  JSON.stringify({
    id: `call_${id}`,
    type: "function",
    function: { name, arguments: JSON.stringify(values) },
  });

/** Returns a chat with thirty finished calls. */
function manyCalls() {
  const calls = Array.from({ length: 30 }, (_, index) => {
    const id = index + 1;
    return [
      `❓:[yA] \`${call(id, "read_file", { path: `src/part-${id}.ts` })}\``,
      "",
      `🛠️: [read_file][call_${id}]`,
      "",
      "```",
      ...Array.from({ length: 3 + (index % 5) }, (_, line) => `line ${line + 1}`),
      "```",
      "",
    ].join("\n");
  });
  return `---\ntopic: Thirty files\nmodel: mock/demo\n---\n\n💬: read all parts\n\n🤖:[demo]\n\nI read them one by one.\n\n${calls.join("\n")}\nAll parts say the same.\n\n💬: \n`;
}

const lines = Array.from({ length: 100 }, (_, index) => `entry ${index + 1}`).join("\n");

/** A chat with a waiting call that creates a file of 100 lines. */
const longEdit = `---\ntopic: A long file\nmodel: mock/demo\ntools: edit_file\n---\n\n💬: write a hundred lines\n\n🤖:[demo]\n\nI put them into a file.\n\n❓: \`${call(1, "edit_file", { path: "lines.txt", old_text: "", new_text: `${lines}\n` })}\`\n`;

const question = "can you find the latest stock price of google and microsoft?";

/** An answer that grows slowly, from the scripted model below. */
const slowAnswer = `---\ntopic: Folds\nagent: demo\n---\n\n💬: how do folds work?\n`;

const slowTurns = {
  turns: [
    {
      text: "A fold shows several lines as one. `zo` opens the one at the cursor, `zc` closes it, and `za` does what fits. With `foldmethod=manual` they are made by `zf` and a motion; with `indent`, `syntax` or `expr` Neovim makes them, and keeps them as the text changes.",
      chunk: 160,
      delayMs: 3000,
    },
  ],
};

/** Fixed usage records, so that the page does not depend on the day it is made. */
const spentBefore = [
  ["2026-11-02T09:00", "anthropic/claude-sonnet-5-5", 48_210, 3_104, 0.1912],
  ["2026-11-03T10:00", "openai/gpt-5.5", 12_040, 880, 0.0866],
  ["2026-11-03T15:00", "anthropic/claude-sonnet-5-5", 90_422, 5_230, 0.3497],
  ["2026-11-05T11:00", "ollama/qwen3", 8_120, 1_900, 0],
].map(([at, model, input, output, cost]) => ({
  ...{ at: new Date(at).getTime(), model, input, output, cost },
  chat: `/home/me/chats/2026-11-0${at[9]}-plan.md`,
}));

/** A chat as the Lua Parley wrote it, with things that a migration must report. */
const oldChat = `# topic: Old prices
- file: old.md
- model: {"model":"gpt-4"}
---

💬: what did gold cost?

🤖:[GPT]

\`\`\`
🔧: web_search id=1
\`\`\`

🔧: web_search id=toolu_1
{"query":"gold"}
`;

/** A file of the project that the question is about. */
const sourceFile = "export const values = [\n  3,\n  1,\n  2,\n];\n";

/** The files next to the sample chat. */
const files = {
  "thirty.md": manyCalls(),
  "edit.md": longEdit,
  "slow.md": slowAnswer,
  "old.md": oldChat,
  "failed.md": `---\ntopic: No key\nmodel: openai/gpt-5\n---\n\n💬: ${question}\n`,
};

/**
 * The scenes, in order, in one Neovim: the keys to press and the text to wait for. `isFirst`: recorded before all
 * others, which would be visible in it. `isMoving`: recorded while it changes.
 */
export const scenes = [
  {
    name: "An answer streams",
    about:
      "After `<C-g><C-g>`: the text streams in. The line below it names the model and the key that stops it.",
    keys: ":edit %:h/slow.md<CR>G<C-g><C-g>",
    seen: /A fold shows[\s\S]*demo · <C-g>x stops/,
    isMoving: true,
  },
  {
    name: "Calls wait",
    about:
      "After `<C-g><C-g>`: each call is a row, with the keys below. The cursor is on the first call.",
    keys: "<C-g>x:sleep 300m<CR>:edit! %:h/stock-prices.md<CR>G<C-g><C-g>",
    seen: /calls wait: ya all/,
  },
  {
    name: "Everything about a call",
    about: "`K` on a call.",
    keys: "K",
    seen: /tool: web_search/,
  },
  {
    name: "The answer goes on",
    about: "`ya` ran both calls. The next question starts below a faint line.",
    keys: "<Esc>ya",
    seen: /MSFT at[\s\S]*tokens in[\s\S]*─[\s\S]*💬:/,
  },
  {
    name: "A settled call, opened",
    about: "A call opens while the cursor is in it, and closes when the cursor leaves.",
    keys: "<Esc>gg/^❓<CR>:nohlsearch | echo<CR>",
    seen: /🛠️[\s\S]*matches/u,
  },
  {
    name: "Questions of a chat",
    about: "`gO`: the outline, in the location list.",
    keys: "gggO",
    seen: /Questions|stock price of google and microsoft\?[\s\S]*stock price of google and microsoft\?/,
  },
  {
    name: "All chats",
    about: "`:Parley chats`: waiting calls, topic, model and age. Type to filter.",
    keys: ":lclose<CR>:Parley chats<CR>",
    seen: /Chats: 6/,
  },
  {
    name: "What was spent",
    about: "`:Parley usage all`.",
    keys: ":Parley usage all<CR>",
    seen: /## Models[\s\S]*sonnet/,
    isFirst: true,
  },
  {
    name: "Thirty calls",
    about: "Each settled call is one row.",
    keys: "<Esc><Esc>:edit %:h/thirty.md<CR>",
    seen: /part-30\.ts[\s\S]*All parts/,
  },
  {
    name: "A file of 100 lines",
    about: "One row, and ten rows of its diff; `K` shows the rest.",
    keys: ":edit %:h/edit.md<CR>",
    seen: /1 call waits/,
  },
  {
    name: "A question about lines",
    about:
      "`:'<,'>Parley ask why this order?` in a file: the question is in the last chat, with a reference to the lines.",
    keys: ":edit values.ts<CR>jVj:Parley ask why this order?<CR>",
    seen: /@@\.\/values\.ts:2-3@@ why this order\?/,
  },
  {
    name: "Another way from here",
    about:
      "`:Parley branch` on a question: a new chat with everything up to there; `🌿:` lines link the two chats.",
    keys: "<Esc>:only<CR>u:write<CR>6G:Parley branch<CR>",
    seen: /stock-prices-branch\.md/,
  },
  {
    name: "A chat of the Lua Parley",
    about: "`:Parley migrate` lists what it needs, and changes nothing.",
    keys: ":only<CR>:edit %:h/old.md<CR>:only<CR>:Parley migrate<CR>",
    seen: /Nothing was changed/,
  },
  {
    name: "A failure",
    about: "The question shows why it failed, and what to do.",
    keys: ":close<CR>:only<CR>:edit %:h/failed.md<CR>G<C-g><C-g>",
    seen: /OPENAI_API_KEY|key/,
  },
];

/** Returns the file name of a scene's picture. */
export function pictureName(name, background) {
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}-${background}.svg`;
}

/** Presses the keys of all scenes and returns their screens as text and as runs of equal style. */
export async function recordScreens(neovim, background) {
  const { openNeovim } = await import("./editor.mjs");
  const { followScreen } = await import("./screen.mjs");
  const { demoArguments, prepareDemo } = await import("./demo-folder.mjs");
  const demo = await prepareDemo();
  const chats = dirname(demo.chat);
  // The list of chats shows the newest first.
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    const written = Date.now() / 1000 - 600 * (index + 1);
    await writeFile(join(chats, name), text);
    await utimes(join(chats, name), written, written);
  }
  const work = join(demo.folder, "work");
  await mkdir(work);
  await writeFile(join(work, "slow.json"), JSON.stringify(slowTurns));
  await writeFile(join(work, "values.ts"), sourceFile);
  const agents = { demo: { model: "mock/file:slow.json", label: "demo" } };
  await writeInside(join(demo.folder, "config", "nvim", "parley", "config.json"), { agents });
  const month = join(demo.folder, "state", "nvim", "parley", "usage", "2026-11.jsonl");
  await writeInside(month, ...spentBefore);
  const args = [
    ...demoArguments,
    "-i",
    "NONE",
    "--cmd",
    `set background=${background} statusline=%t laststatus=0 noruler noshowmode fillchars=eob:\\ `,
    demo.chat,
  ];
  const env = { ...demo.env, PARLEY_MOCK_DELAY_MS: "5" };
  const editor = openNeovim({ path: neovim.path, args, env, cwd: work });
  try {
    const { client } = editor;
    const screen = followScreen(client, size.columns, size.rows);
    await client.request("nvim_ui_attach", [
      size.columns,
      size.rows,
      { ext_linegrid: true, rgb: true },
    ]);
    await until(screen, /1\/3/);
    for (const event of ["ParleyWaiting", "ParleyDone"])
      await client.command(`autocmd! User ${event}`);
    await client.command("setlocal winbar=");
    const drawn = new Map();
    for (const scene of scenes.toSorted(
      (a, b) => Number(b.isFirst ?? 0) - Number(a.isFirst ?? 0),
    )) {
      const { name, about, keys, seen, isMoving = false, isFirst = false } = scene;
      await client.input(keys);
      await until(screen, seen, isMoving);
      const rows = screen.rows().map((row) => row.map(atRest));
      drawn.set(scene, { name, about, text: atRest({ text: rowsOf(screen) }).text, rows });
      if (isFirst) await client.input(":close<CR>");
    }
    return { screens: scenes.map((scene) => drawn.get(scene)), colours: screen.colours() };
  } finally {
    editor.process.kill("SIGKILL");
    await editor.gone;
    await rm(demo.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Replaces the spinner by a fixed frame. */
function atRest(run) {
  return { ...run, text: run.text.replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, "⠼") };
}

async function writeInside(path, ...values) {
  await mkdir(dirname(path), { recursive: true });
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  await writeFile(path, text, { mode: 0o600 });
}

function rowsOf(screen) {
  const rows = screen.text().split("\n");
  return rows
    .map((row) => row.trimEnd())
    .join("\n")
    .trimEnd();
}

/** Waits until the screen shows the text and has not changed for a moment. */
async function until(screen, seen, isMoving) {
  let before = "";
  for (let tries = 0; tries < 200; tries += 1) {
    await wait(150);
    const now = screen.text();
    if (seen.test(now) && (isMoving || now === before)) return;
    before = now;
  }
  throw new Error(`This was never seen: ${seen}\n${screen.text()}`);
}

/** The colour of Markdown code in Neovim's default light scheme, with a contrast of 4.4. It is not ours to change. */
const codeOfNeovim = 0x007373;

/** Returns texts with less contrast than WCAG 2 requires, as `row: text`; divider lines are not text. */
export function faintTexts(rows, least = 4.5) {
  return rows.flatMap((row, index) =>
    row
      .filter(({ text }) => /[^\s─│╭╮╰╯┌┐└┘]/u.test(text))
      // Neovim's own sign for a line that does not fit.
      .filter(({ text }) => !/^@+$/.test(text.trim()))
      .filter(({ foreground }) => foreground !== codeOfNeovim)
      .filter(({ foreground, background }) => contrast(foreground, background) < least)
      .map(
        ({ text, foreground, background }) =>
          `${index + 1}: ${text.trim()} (${[foreground, background].map((colour) => colour.toString(16)).join(" on ")})`,
      ),
  );
}

/** Returns the contrast ratio of two colours (0xrrggbb), from 1 to 21. */
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = [16, 8, 0].map((shift) => {
    const part = ((colour >> shift) & 255) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the page of the screens. */
export function screensPage(drawn) {
  const parts = drawn.map(({ name, about, text }) => {
    const [dark, light] = ["dark", "light"].map((one) => `screens/${pictureName(name, one)}`);
    return `## ${name}\n\n${about}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n\nIn colours: [dark](${dark}), [light](${light}).\n`;
  });
  return `# Screens\n\nScreenshots at ${size.columns}×${size.rows}. \`npm run pictures\` generates them from the running program with its offline model; it fails if any text has a contrast below 4.5.\n\n${parts.join("\n")}\n## A chat as a page\n\n\`:Parley export\`, drawn by headless Chromium (\`npm run test:browser -- --picture\`).\n\n![An exported chat](export.png)\n`;
}
