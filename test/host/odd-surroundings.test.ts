/** A home that accepts no writes, being read-only or full, and a Node with other settings: chats are answered. */
import { execFile } from "node:child_process";
import { mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";
import { removeFolder } from "../support/remove-folder.ts";

const yes = `vim.ui.select = function(items, _, choose)
  for _, item in ipairs(items) do
    local label = type(item) == "table" and item.label or item
    if vim.startswith(label, "Yes, for this file") then
      return choose(item)
    end
  end
  choose(nil)
end
Said = {}
vim.notify = function(message)
  table.insert(Said, message)
end`;

const call = { id: "a", name: "web_search", arguments: { query: "google stock price" } };
/** The last one has state, which is sealed with a secret of the state folder. */
const turns = [
  { text: "One." },
  { text: "Two.", calls: [call], state: { x: 1 } },
  { text: "End." },
];

it("answers a chat and runs its calls, and says once what is not kept", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-no-state-"));
  onTestFinished(() => removeFolder(folder));
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ turns }));
  // What is below a file can be made by nobody, not even by root.
  const state = join(folder, "file");
  await writeFile(state, "");
  const nvim = await TestNeovim.start({
    path: oneNeovim[0]!.path,
    chat: { text: `---\nmodel: mock/file:${script}\ntools: mock\n---\n\n💬: hi\n` },
    init: yes,
    env: { XDG_STATE_HOME: state },
  });
  onTestFinished(() => nvim.cleanUp());
  await nvim.ready();
  await nvim.command("Parley respond");
  await nvim.untilText(/One\.\n\n💬: $/);
  await nvim.input("Gi and more<Esc>");
  await nvim.command("Parley respond");
  await nvim.untilText(/^❓: /m);
  await nvim.until("the keys", async () => /yA/.test(await nvim.virtualText()));
  await nvim.input("<Esc>gg/^❓<CR>yA");
  await nvim.untilText(/🛠️:[\s\S]*End\.\n\n💬: $/);
  await nvim.command("write");
  const said = () => nvim.lua("return table.concat(Said, '\\n')").then(String);
  await nvim.until("what is not kept", async () =>
    (await said()).includes("cannot write to its state folder"),
  );
  expect((await said()).match(/may ask you again about what you allowed/g)).toHaveLength(1);
  expect(await said()).not.toMatch(/was not done|could not/);
});

it("starts the host from a linked plugin where Node keeps the names of links", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-linked-"));
  onTestFinished(() => removeFolder(folder));
  const script = join(folder, "host.mjs");
  await symlink(join(projectRoot, "dist"), join(folder, "dist"));
  await writeFile(
    script,
    `import { spawn } from "node:child_process";
    const args = ["--preserve-symlinks-main", process.argv[2]];
    const host = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    host.stdout.once("data", () => { console.log("speaks"); host.kill("SIGKILL"); });`,
  );
  const entry = join(folder, "dist", "host.js");
  const { stdout } = await promisify(execFile)(process.execPath, [script, entry]);
  expect(stdout).toBe("speaks\n");
});
