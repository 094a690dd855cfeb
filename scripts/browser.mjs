// `npm run test:browser` opens exported chats in a headless Chromium: nothing in them runs, and they look like
// doc/export.png, which `-- --picture` regenerates. Without a Chromium it says so; nothing is downloaded.
import { createHash } from "node:crypto";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildWhenStale } from "./lib/build.mjs";
import { projectRoot } from "./lib/paths.mjs";
import { run } from "./lib/run.mjs";
import { runMain, say } from "./lib/say.mjs";

const programs = [
  process.env.CHROME_PATH,
  "chromium",
  "chromium-browser",
  "google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
].filter(Boolean);

/** Each of these would change the title if a browser ran it. */
const hostile = `💬: <script>document.title = "ran"</script> [a](javascript:document.title='ran')

🤖:[<img src=x onerror="document.title='ran'">]

<svg/onload="document.title='ran'"> ![x](data:image/svg+xml,<svg onload="document.title='ran'"/>)

❓:[ya] \`{"id":"1","type":"function","function":{"name":"</summary><script>document.title='ran'</script>","arguments":"{}"}}\`

🛠️: [x][1]

\`\`\`
</code></pre><script>document.title = "ran"</script><style>*{display:none}</style>
\`\`\`
`;

await runMain(async (args) => {
  const browser = await findBrowser();
  if (browser === undefined) {
    say("No Chromium is on this machine (CHROME_PATH may name one), so no page was opened.");
    return;
  }
  await buildWhenStale();
  const folder = await mkdtemp(join(tmpdir(), "parley-browser-"));
  try {
    await writeFile(join(folder, "hostile.md"), hostile);
    const dom = await open(browser, await exported(folder, "hostile.md"), ["--dump-dom"]);
    if (!/<title>hostile<\/title>/.test(dom)) throw new Error(`A text of a chat ran:\n${dom}`);
    if (!dom.includes("&lt;script&gt;")) throw new Error("The page does not show its text.");
    await copyFile(join(projectRoot, "scripts", "demo", "export.md"), join(folder, "chat.md"));
    const page = await exported(folder, "chat.md");
    const pictures = await Promise.all(
      ["light", "dark"].map((colours) => picture(browser, page, folder, colours)),
    );
    const [light, dark] = pictures.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
    if (light === dark) throw new Error("The page looks the same in light and dark.");
    if (args.includes("--picture"))
      await writeFile(join(projectRoot, "doc", "export.png"), pictures[0]);
    say("Exported chats show their texts and run nothing, in light and in dark.");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function findBrowser() {
  for (const program of programs) {
    const { code } = await run(program, ["--version"], {}).catch(() => ({ code: 1 }));
    if (code === 0) return program;
  }
  return undefined;
}

/** Exports a chat and returns the URL of the page. */
async function exported(folder, name) {
  const output = join(folder, name.replace(/\.md$/, ".html"));
  const words = [
    join(projectRoot, "dist", "cli.js"),
    "export",
    join(folder, name),
    "--output",
    output,
  ];
  const { code, stderr } = await run(process.execPath, words, {});
  if (code !== 0) throw new Error(`parley export ended with ${code}: ${stderr}`);
  return pathToFileURL(output).href;
}

async function picture(browser, page, folder, colours) {
  const file = join(folder, `${colours}.png`);
  await open(browser, page, [
    `--screenshot=${file}`,
    "--window-size=820,760",
    `--blink-settings=preferredColorScheme=${colours === "dark" ? 0 : 1}`,
  ]);
  return readFile(file);
}

async function open(browser, page, args) {
  const profile = await mkdtemp(join(tmpdir(), "parley-profile-"));
  try {
    // Without the sandbox, which root in a container may not use; the pages are our own.
    const own = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"];
    const { code, stdout, stderr } = await run(
      browser,
      [...own, `--user-data-dir=${profile}`, ...args, page],
      {},
    );
    if (code !== 0) throw new Error(`The browser ended with ${code}: ${stderr}`);
    return stdout;
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}
