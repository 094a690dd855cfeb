// The screens of doc/screens.md: what a person sees at 80×24, from a real Neovim with the offline model.
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

/** Thirty calls that have their results. */
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

/** A file of 100 lines that waits to be made. */
const longEdit = `---\ntopic: A long file\nmodel: mock/demo\ntools: edit_file\n---\n\n💬: write a hundred lines\n\n🤖:[demo]\n\nI put them into a file.\n\n❓: \`${call(1, "edit_file", { path: "lines.txt", old_text: "", new_text: `${lines}\n` })}\`\n`;

const question = "can you find the latest stock price of google and microsoft?";

/** The files beside the sample chat. */
const files = {
  "thirty.md": manyCalls(),
  "edit.md": longEdit,
  "failed.md": `---\ntopic: No key\nmodel: openai/gpt-5\n---\n\n💬: ${question}\n`,
};

/** One after the other in one Neovim: what is pressed, and what is seen then. */
export const scenes = [
  {
    name: "Calls wait",
    about:
      "After `<C-g><C-g>`: each call is a row, the keys are below them, the cursor is on the first.",
    keys: "G<C-g><C-g>",
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
    about: "`ya` ran both calls; the next question has begun below a quiet line.",
    keys: "<Esc>ya",
    seen: /MSFT at[\s\S]*tokens in[\s\S]*─[\s\S]*💬:/,
  },
  {
    name: "A settled call, opened",
    about: "With the cursor in a call its text is seen; it closes behind the cursor.",
    keys: "<Esc>gg/^❓<CR>:nohlsearch | echo<CR>",
    seen: /🛠️[\s\S]*matches/u,
  },
  {
    name: "Questions of a chat",
    about: "`gO`: the outline, as the location list.",
    keys: "gggO",
    seen: /Questions|stock price of google and microsoft\?[\s\S]*stock price of google and microsoft\?/,
  },
  {
    name: "All chats",
    about: "`:Parley chats`: what waits, topic, model and age; typing filters.",
    keys: ":lclose<CR>:Parley chats<CR>",
    seen: /Chats: 4/,
  },
  {
    name: "What was spent",
    about: "`:Parley usage`.",
    keys: "<Esc><Esc>:Parley usage<CR>",
    seen: /mock\/demo/,
  },
  {
    name: "Thirty calls",
    about: "Settled calls take a row each.",
    keys: ":close<CR>:edit %:h/thirty.md<CR>",
    seen: /part-30\.ts[\s\S]*All parts/,
  },
  {
    name: "A file of 100 lines",
    about: "One row and ten of its diff; `K` has the rest.",
    keys: ":edit %:h/edit.md<CR>",
    seen: /1 call waits/,
  },
  {
    name: "A failure",
    about: "Why it failed stands at the question, with what to do.",
    keys: ":edit %:h/failed.md<CR>G<C-g><C-g>",
    seen: /OPENAI_API_KEY|key/,
  },
];

/** Presses the keys of all scenes; their screens as texts. */
export async function recordScreens(neovim) {
  const { openNeovim } = await import("./editor.mjs");
  const { followScreen } = await import("./screen.mjs");
  const { demoArguments, prepareDemo } = await import("./demo-folder.mjs");
  const demo = await prepareDemo();
  const chats = dirname(demo.chat);
  // The list of chats has the newest first.
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    const written = Date.now() / 1000 - 600 * (index + 1);
    await writeFile(join(chats, name), text);
    await utimes(join(chats, name), written, written);
  }
  const work = join(demo.folder, "work");
  await mkdir(work);
  const args = [
    ...demoArguments,
    "-i",
    "NONE",
    "--cmd",
    "set background=dark statusline=%t laststatus=0 noruler noshowmode fillchars=eob:\\ ",
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
    const drawn = [];
    for (const { name, about, keys, seen } of scenes) {
      await client.input(keys);
      await until(screen, seen);
      drawn.push({ name, about, text: rowsOf(screen) });
    }
    return drawn;
  } finally {
    editor.process.kill("SIGKILL");
    await editor.gone;
    await rm(demo.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function rowsOf(screen) {
  const rows = screen.text().split("\n");
  return rows
    .map((row) => row.trimEnd())
    .join("\n")
    .trimEnd();
}

/** Waits until the screen shows it, and nothing changes for a moment. */
async function until(screen, seen) {
  let before = "";
  for (let tries = 0; tries < 200; tries += 1) {
    await wait(150);
    const now = screen.text();
    if (seen.test(now) && now === before) return;
    before = now;
  }
  throw new Error(`This was never seen: ${seen}\n${screen.text()}`);
}

/** The page of the screens. */
export function screensPage(drawn) {
  const parts = drawn.map(
    ({ name, about, text }) => `## ${name}\n\n${about}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`,
  );
  return `# Screens\n\nWhat is seen at ${size.columns}×${size.rows}, made from the running program with its offline model by \`npm run pictures\`.\n\n${parts.join("\n")}`;
}
