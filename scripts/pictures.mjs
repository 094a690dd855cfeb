// `npm run pictures` draws the pictures of the documentation from a real Neovim with the offline model: the animated
// doc/chat-dark.svg and doc/chat-light.svg, doc/waiting.svg with waiting calls, and doc/screens.md with other screens
// as text and, in doc/screens, as pictures. `npm run pictures -- screens` makes only the last.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildWhenStale } from "./lib/build.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { findNeovim } from "./lib/nvim.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { runMain, say } from "./lib/say.mjs";

const size = { columns: 84, rows: 25 };
const question = "can you find the latest stock price of google and microsoft?";
const title = "A question is asked, two tool calls wait, ya runs them, the answer goes on";

await runMain(async (args) => {
  await installDependencies();
  await buildWhenStale();
  const neovim = await findNeovim();
  await drawScreens(neovim);
  if (args.includes("screens")) return;
  for (const background of ["dark", "light"]) {
    const { frames, colours, waiting } = await record(neovim, background);
    await write(`chat-${background}.svg`, { frames, still: waiting, colours });
    if (background === "dark") await write("waiting.svg", { frames: [waiting], colours });
  }
});

async function drawScreens(neovim) {
  const {
    faintTexts,
    pictureName,
    recordScreens,
    screensPage,
    size: small,
  } = await import("./lib/screens.mjs");
  const { toSvg } = await import("./lib/svg.mjs");
  const folder = join(projectRoot, "doc", "screens");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const background of ["light", "dark"]) {
    const { screens, colours } = await recordScreens(neovim, background);
    for (const { name, rows } of screens) {
      const faint = faintTexts(rows);
      if (faint.length > 0)
        throw new Error(`${name}, ${background}: too faint\n${faint.join("\n")}`);
      const frames = [{ rows, ms: 1000, caption: "" }];
      const svg = toSvg({ frames, colours, columns: small.columns, title: name });
      await writeFile(join(folder, pictureName(name, background)), svg);
    }
    await writeFile(join(projectRoot, "doc", "screens.md"), screensPage(screens));
    say(`doc/screens.md: ${screens.length} screens, ${background}`);
  }
}

async function write(name, drawn) {
  const { toSvg } = await import("./lib/svg.mjs");
  const svg = toSvg({ ...drawn, columns: size.columns, title });
  await writeFile(join(projectRoot, "doc", name), svg);
  say(`doc/${name}: ${Math.ceil(svg.length / 1000)} kB`);
}

/** Presses the keys of the demo and records the screen whenever it has changed. */
async function record(neovim, background) {
  const { openNeovim } = await import("./lib/editor.mjs");
  const { followScreen } = await import("./lib/screen.mjs");
  const { demoArguments, prepareDemo } = await import("./lib/demo-folder.mjs");
  const demo = await prepareDemo();
  const args = [
    ...demoArguments,
    "-i",
    "NONE",
    "--cmd",
    `set background=${background} laststatus=0 noruler fillchars=eob:\\ `,
    demo.chat,
  ];
  const env = { ...demo.env, PARLEY_MOCK_DELAY_MS: "60" };
  const editor = openNeovim({ path: neovim.path, args, env });
  try {
    const screen = followScreen(editor.client, size.columns, size.rows);
    const options = { ext_linegrid: true, rgb: true };
    await editor.client.request("nvim_ui_attach", [size.columns, size.rows, options]);
    return await play(editor.client, screen);
  } finally {
    editor.process.kill("SIGKILL");
    await editor.gone;
    await rm(demo.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function play(client, screen) {
  const frames = [];
  const look = (ms, caption) => {
    frames.push({ rows: screen.rows(), ms, caption });
  };
  const settle = async () => {
    await client.command("redraw");
    await wait(60);
  };
  const follow = async (caption, isDone) => {
    for (let tries = 0; tries < 300; tries += 1) {
      await wait(50);
      look(90, caption);
      if (await isDone()) return;
    }
    throw new Error(`This was never seen: ${caption}\n${screen.text()}`);
  };
  const lines = () => client.request("nvim_buf_get_lines", [0, 0, -1, false]);
  const count = async (pattern) => (await lines()).filter((line) => pattern.test(line)).length;
  const isWhole = async () => !(await lines()).some((line) => line.startsWith("<!-- parley:unf"));

  const isReady = async () =>
    screen.text().includes("1/3") && (await client.call("maparg", ["<C-g><C-g>", "n"])) !== "";
  for (let tries = 0; tries < 300 && !(await isReady()); tries += 1) await wait(20);
  // Removes the demo's hints, which are for someone at the keyboard.
  for (const event of ["ParleyWaiting", "ParleyDone"])
    await client.command(`autocmd! User ${event}`);
  await client.command("setlocal winbar=");
  await client.request("nvim_buf_set_lines", [0, -2, -1, false, ["💬: "]]);
  await client.input("GA");
  for (const part of question.match(/.{1,4}/g) ?? []) {
    await client.input(part);
    await settle();
    look(70);
  }
  look(700);
  await client.input("<C-g><C-g>");
  const isWaiting = async () => (await count(/^❓:/u)) === 2 && (await isWhole());
  await follow(
    "<C-g><C-g>",
    async () => (await isWaiting()) && (await client.call("maparg", ["ya", "n"])) !== "",
  );
  // The cursor moves to the first call automatically, in Normal mode.
  await client.input("<Esc>");
  await settle();
  const waiting = { rows: screen.rows(), ms: 2600, caption: "" };
  frames.push(waiting);
  await client.input("ya");
  await follow(
    "ya",
    async () => (await count(/^🛠/u)) === 2 && (await count(/^💬:\s*$/u)) === 1 && (await isWhole()),
  );
  await settle();
  look(3200);
  return { frames, waiting, colours: screen.colours() };
}
