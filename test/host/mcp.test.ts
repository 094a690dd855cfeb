/** Servers of one's own in every supported Neovim: real ones, asked about, run by keys, and gone with the editor. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { badServer } from "../support/mcp-server.ts";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";
import { childrenOf, processesWith } from "../support/processes.ts";
import { filesystemServer as filesystem } from "../support/real-servers.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

interface Scene {
  readonly home: string;
  /** Servers in mcp.json, and in the project's file. */
  readonly own?: object;
  readonly project?: object;
  readonly turns: readonly object[];
  /** What is below the question. */
  readonly below?: string;
}

const makeHome = () => mkdtemp(join(tmpdir(), "parley-mcp-"));

/** Answers every question of the host with yes, and keeps them with the lines of the windows beside them. */
const sayYes = `Asked = {}
vim.ui.select = function(items, options, choose)
  -- Pickers make a title of it.
  assert(not options.prompt:find("\\n"), "a prompt of several lines")
  local lines = { options.prompt }
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if win ~= vim.api.nvim_get_current_win() then
      vim.list_extend(lines, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
    end
  end
  table.insert(Asked, table.concat(lines, "\\n"))
  choose("Yes")
end`;

async function open(
  path: string,
  { home, own, project, turns, below = "" }: Scene,
): Promise<TestNeovim> {
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  const json = (servers: object) => JSON.stringify({ mcpServers: servers });
  if (own) await writeFile(join(folder, "mcp.json"), json(own));
  if (project) await writeFile(join(home, ".mcp.json"), json(project));
  await writeFile(join(home, "note.txt"), "kept in a file\n");
  await writeFile(join(home, "script.json"), JSON.stringify({ turns }));
  const chat = `---\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: read it\n${below}`;
  editor = await TestNeovim.start({ path, home, chat: { text: chat }, init: sayYes });
  await editor.ready();
  return editor;
}

function readNote(home: string) {
  const call = {
    id: "c1",
    name: "mcp__files__read_text_file",
    arguments: { path: join(home, "note.txt") },
  };
  return [{ calls: [call] }, { text: "That was all." }];
}

const files = (home: string) => ({ command: process.execPath, args: [filesystem, home] });

const asked = async (nvim: TestNeovim) => z.array(z.string()).parse(await nvim.lua("return Asked"));

async function approveAll(nvim: TestNeovim): Promise<void> {
  await nvim.untilText(/^❓: `/m);
  await nvim.until("the keys named", async () => /ya all/.test(await nvim.virtualText()));
  await nvim.input("gg/^❓: <CR>ya");
}

/** A call is in flight to a server that ignores its end, behind a shell. */
async function openHanging(path: string): Promise<{ nvim: TestNeovim; home: string }> {
  const home = await makeHome();
  const shell = `'${process.execPath}' '${badServer}' hanging '${home}'; true`;
  const own = { bad: { command: "sh", args: ["-c", shell] } };
  const turns = [{ calls: [{ id: "c1", name: "mcp__bad__hang", arguments: {} }] }];
  const nvim = await open(path, { home, own, turns });
  await nvim.input("G<C-g><C-g>");
  await approveAll(nvim);
  await nvim.untilText(/^❓:\[ya\]/m);
  return { nvim, home };
}

describe.each(oneNeovim)("servers in Neovim $version", ({ path }) => {
  it("read a file after ya, the answer goes on, and nothing outlives :qa!", async () => {
    const home = await makeHome();
    const shell = `'${process.execPath}' '${filesystem}' '${home}'; true`;
    const own = {
      files: { command: "sh", args: ["-c", shell] },
      resting: { command: "nothing", disabled: true },
    };
    const nvim = await open(path, { home, own, turns: readNote(home) });
    await nvim.input("G<C-g><C-g>");
    await approveAll(nvim);
    const text = await nvim.untilText(/That was all\.\n\n💬: $/);
    expect(text).toMatch(/^🛠️: \[mcp__files__read_text_file\]\[c1\]\n\n[\s\S]*kept in a file/m);
    expect(text.match(/^🤖:/gm)).toHaveLength(1);
    expect(await asked(nvim)).toEqual([]);
    await nvim.command("Parley mcp");
    const list = await nvim.untilText(/^# files: ready, 14 tools/m);
    expect(list).toMatch(/^resting is disabled in .*\.$/m);
    expect(processesWith(`${filesystem} ${home}`).length).toBeGreaterThan(0);
    await nvim.quit();
    await expectGone(() => processesWith(home));
  });

  it("say at a waiting call that they start, and a key waits for them or opens the list", {
    timeout: 60_000,
  }, async () => {
    const home = await makeHome();
    const go = join(home, "go");
    const shell = `while [ ! -e '${go}' ]; do sleep 0.05; done; exec '${process.execPath}' '${badServer}' good '${home}'`;
    const own = { slow: { command: "sh", args: ["-c", shell] } };
    const made = { name: "mcp__slow__echo", arguments: '{"text":"hi"}' };
    const call = JSON.stringify({ id: "c1", type: "function", function: made });
    const drawn = async (nvim: TestNeovim, words: RegExp) =>
      nvim.until(String(words), async () => words.test(await nvim.virtualText()));
    const below = `🤖:[m]\n\n❓: \`${call}\`\n`;
    const scene = { home, own, turns: [{}, { text: "First." }], below };
    const first = await open(path, scene);
    await drawn(first, /mcp__slow__echo .*server slow, not started here yet/);
    const asList = async () =>
      z
        .string()
        .parse(
          await first.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|')"),
        );
    await first.input("gg/^❓: <CR>ya");
    await first.until("the list", async () => /starting, \d+ s/.test(await asList()));
    await first.input("ya");
    await first.until("the word", async () =>
      /as soon as its server is ready/.test(await first.messages()),
    );
    await writeFile(go, "");
    await first.until("the tool", async () =>
      /server slow · says it only reads/.test(await asList()),
    );
    await first.input("ya");
    await first.untilText(/First\.\n\n💬: $/);
    await first.quit();

    await rm(go);
    const again = await open(path, scene);
    await drawn(again, /mcp__slow__echo .*server slow · says it only reads/);
    // The last key waits for those before it.
    await again.input("gg/^❓: <CR>yoyoyo");
    await drawn(again, /mcp__slow__echo .*starting, \d+ s · server slow/);
    await again.command("Parley stop");
    await again.until("the word for all", async () =>
      /(Stopped; nothing was decided.\s*){3}/.test(await again.messages()),
    );
    await again.until("nothing left", async () => {
      await again.command("Parley stop");
      return /Nothing is running in this chat/.test(await again.messages());
    });
    await again.input("ya");
    await writeFile(go, "");
    await again.untilText(/^`hi`[\s\S]*\n\n💬: $/m);
  });

  it("are gone after :qa! with a call in flight to one that ignores its end", async () => {
    const { nvim, home } = await openHanging(path);
    expect(processesWith(`hanging ${home}`).length).toBeGreaterThan(0);
    // The call never ends without a stop.
    await nvim.quit();
    await expectGone(() => processesWith(home));
  });

  it("are gone when the host is killed with a call in flight, and the next host goes on", async () => {
    const { nvim, home } = await openHanging(path);
    await nvim.until("the server", () => processesWith(`hanging ${home}`).length > 0);
    const host = childrenOf(nvim.process.pid ?? 0).filter((pid) =>
      processesWith("host.js").includes(pid),
    );
    expect(host).toHaveLength(1);
    for (const pid of host) process.kill(pid, "SIGKILL");
    await expectGone(() => processesWith(`hanging ${home}`));
  });

  it("of a project start after a yes to the whole command, which a new Neovim remembers", async () => {
    const home = await makeHome();
    const scene = { home, project: { files: files(home) }, turns: readNote(home) };
    const first = await open(path, scene);
    expect(await asked(first)).toEqual([]);
    await first.input("G<C-g><C-g>");
    await approveAll(first);
    await first.untilText(/That was all\.\n\n💬: $/);
    const questions = await asked(first);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain(`command: ${process.execPath} ${filesystem} ${home}`);
    await first.quit();
    const again = await open(path, scene);
    await again.input("G<C-g><C-g>");
    await again.untilText(/^❓: `/m);
    expect(await asked(again)).toEqual([]);
  });

  it("are shown, stopped, restarted and checked by command, and asked for what is missing", async () => {
    const home = await makeHome();
    const input = "$" + "{input:folder}";
    const nothing = { command: process.execPath, args: [filesystem, "$" + "{NOT_SET}"] };
    const own = {
      files: { command: process.execPath, args: [filesystem, input] },
      "no thing": nothing,
    };
    const nvim = await open(path, { home, own, turns: readNote(home) });
    await nvim.lua("vim.fn.inputsecret = function(prompt) Prompt = prompt return vim.env.HOME end");
    await nvim.command("Parley mcp restart files");
    await nvim.until("ready", async () =>
      /MCP server files: ready, 14 tools/.test(await nvim.messages()),
    );
    expect(await nvim.lua("return Prompt")).toBe("folder (MCP server files): ");
    await nvim.command("Parley mcp stop files");
    await nvim.until("stopped", async () => processesWith(`${filesystem} ${home}`).length === 0);
    await nvim.command("messages clear");
    await nvim.command("Parley mcp restart no thing");
    await nvim.until("the reason of one with a blank in its name", async () =>
      /MCP server no thing: failed[\s\S]*NOT_SET/.test(await nvim.messages()),
    );
    await nvim.command("messages clear");
    await nvim.command("Parley mcp restart");
    await nvim.until("ready again", async () => /files: ready/.test(await nvim.messages()));
    await nvim.until("the reason", async () =>
      /variable NOT_SET is not set/.test(await nvim.messages()),
    );
    await nvim.command("Parley mcp log files");
    await nvim.untilText(/^# files: ready, 14 tools \(stdio, 2025-11-25\)\n\nstderr:\n {4}/m);
    const file = join(home, "config", "nvim", "parley", "mcp.json");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("{", '{"servers":{"typo":{}},'));
    await nvim.command("checkhealth parley");
    await nvim.untilText(/MCP files +ready +14 tools +\d+\.\d s {2}stdio 2025-11-25/);
    const health = await nvim.untilText(/MCP no thing +failed/);
    expect(health.match(/servers\.typo: command or url is missing/g)).toHaveLength(1);
    expect(health).toMatch(/WARNING .*servers\.typo/);
    expect(await nvim.lua("return vim.fn.getcompletion('Parley mcp ', 'cmdline')")).toEqual([
      "instructions",
      "list",
      "log",
      "login",
      "logout",
      "restart",
      "stop",
      "trust",
      "try",
    ]);
  });

  it("have one tool tried, with its arguments filled in", async () => {
    const home = await makeHome();
    const off = { command: "no-such-command", disabled: true };
    const own = { files: files(home), off, other: { command: "no-such-command" } };
    const nvim = await open(path, { home, own, turns: [] });
    const says = async (words: string, answer: RegExp) => {
      await nvim.command(`Parley mcp try ${words}`);
      await nvim.until(`what is said of ${words}`, async () => answer.test(await nvim.messages()));
    };
    await says("off.read", /The MCP server "off" is disabled in .*mcp\.json; :Parley mcp lists/);
    await says("fils.read", /There is no MCP server "fils"; :Parley mcp lists what there is/);
    await says("files", /Name the tool, too\. It has: files\.read/);
    await nvim.command("Parley mcp");
    // A wrong name starts nothing.
    await nvim.untilText(/^# other: off/m);
    await nvim.command("bdelete");
    await nvim.command("Parley mcp try files.read_text_file");
    const form = await nvim.untilText(/^# files\.read_text_file$/m);
    expect(form).toMatch(/^# required[^\n]*\npath: $/m);
    await nvim.input(`A${join(home, "note.txt")}<Esc>:w<CR>`);
    await nvim.untilText(/^# files\.read_text_file: ok, \d+\.\d s\n[\s\S]*kept in a file/m);
    await nvim.command("Parley mcp try files.no_such_tool");
    await nvim.until("the tools there are", async () =>
      /There is no tool "files\.no_such_tool"\. It has: files\.read/.test(await nvim.messages()),
    );
    await nvim.until("completion", async () =>
      JSON.stringify(
        await nvim.lua("return vim.fn.getcompletion('Parley mcp try files.write', 'cmdline')"),
      ).includes("files.write_file"),
    );
  });
});

/** The requirement is three seconds. */
async function expectGone(left: () => readonly number[]): Promise<void> {
  const end = Date.now() + 3000;
  while (left().length > 0 && Date.now() < end) {
    await new Promise((done) => setTimeout(done, 20));
  }
  expect(left()).toEqual([]);
}
