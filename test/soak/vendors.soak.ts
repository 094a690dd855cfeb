/** Vendors that fail in any way, chats that are edited in between and asked of another one: none is ever refused. */
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  type ModelServer,
  type ReceivedRequest,
  startModelServer,
  type Turn,
} from "../support/model-server.ts";
import { neovims, TestNeovim } from "../support/neovim.ts";
import { installPlugin } from "../support/plugin-root.ts";
import { createRandom, type Random } from "../support/random.mjs";
import { anyModel, anyTurn, refusedRequests } from "./any-answers.ts";
import { faultsOf } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import {
  answerPrompts,
  backToChat,
  heard,
  isAsked,
  listen,
  look,
  press,
  staleStatus,
  unspoken,
} from "./user.ts";

interface Play {
  readonly nvim: TestNeovim;
  readonly server: ModelServer;
  readonly random: Random;
  readonly done: string[];
  words: number;
  /** From here on every answer is a good one. */
  isGood: boolean;
}

function turnFor(play: Play, received: ReceivedRequest): Turn {
  if (play.isGood) return { text: "The last words." };
  play.words += 1;
  const turn = anyTurn(play.random, received, play.words);
  const { api, vendor, body } = received;
  play.done.push(`(${api} ${vendor} ${body.model}: ${JSON.stringify(turn).slice(0, 200)})`);
  return turn;
}

async function ask(play: Play): Promise<string> {
  play.words += 1;
  await press(play.nvim, `<Esc><C-\\><C-n>Go💬: next ${play.words}<Esc><C-g><C-g>`);
  return "asks";
}

async function goOn(play: Play): Promise<string> {
  const place = play.random.of(["G", "gg", "", "/🤖<CR>"]);
  await press(play.nvim, `<Esc><C-\\><C-n>${place}<C-g><C-g>`);
  return `asks again at ${place}`;
}

async function decide(play: Play): Promise<string> {
  const keys = play.random.of(["ya", "ya", "ya", "yo", "yO", "yn<CR>", "yNbecause<CR>"]);
  await press(play.nvim, "<Esc><C-\\><C-n>");
  await play.nvim.lua("vim.fn.search('^❓: ', 'w')");
  await press(play.nvim, keys);
  return `decides ${keys}`;
}

const edits = [
  ...[
    "dd",
    "dap",
    "J",
    "yyp",
    "ddp",
    "x",
    "cwword<Esc>",
    "O<Esc>",
    "D",
    "u",
    "u",
    "<C-r>",
    "5dd",
    "A more<Esc>",
  ],
  ...[
    "iline<CR>💬: <Esc>",
    "o🤖: x<Esc>",
    "o🛠️: [web_search][call_1]<CR><CR>text<Esc>",
    "yypyyp",
    "dG",
    "ggVGd",
    "Vjjjdp",
  ],
  ...[":g/🛠️/d<CR>", ":g/🤖/m0<CR>", ":%s/call/c<CR>", ":$d<CR>", ":g/❓/t.<CR>", ":%s/^`.*//<CR>"],
] as const;

async function edit(play: Play): Promise<string> {
  const keys = play.random.of(edits);
  const place = play.random.below(1000) / 1000;
  await press(play.nvim, "<Esc><C-\\><C-n>");
  await play.nvim.lua(
    "local count = vim.api.nvim_buf_line_count(0) vim.api.nvim_win_set_cursor(0, { 1 + math.floor((...) * count), 0 })",
    place,
  );
  await press(play.nvim, keys);
  return `edits ${keys} at ${place}`;
}

async function changeModel(play: Play): Promise<string> {
  const model = anyModel(play.random);
  await press(play.nvim, "<Esc><C-\\><C-n>");
  await play.nvim.lua("vim.cmd([[silent! %s#^model:.*#model: ]] .. (...))", model);
  return `asks ${model} now`;
}

async function command(play: Play): Promise<string> {
  const name = play.random.of([
    "stop",
    "stop",
    "undo-edits",
    "preview",
    "status",
    "branch",
    "restart",
  ]);
  await press(play.nvim, "<Esc><C-\\><C-n>");
  await look(play.nvim, `Parley ${name}`, 0);
  return `:Parley ${name}`;
}

async function back(play: Play): Promise<string> {
  await play.nvim.lua("vim.cmd('silent! write!')");
  await backToChat(play.nvim);
  return "comes back";
}

async function next(play: Play): Promise<string> {
  const now = z.object({ isChat: z.boolean(), isOpen: z.boolean(), isBusy: z.boolean() }).parse(
    await play.nvim.lua(
      `local buf = vim.api.nvim_get_current_buf()
        local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\\n")
        return {
          isChat = vim.api.nvim_buf_get_name(buf) == (...),
          isOpen = text:find("\\n❓: ") ~= nil,
          isBusy = (vim.b[buf].parley_status or ""):find("^%l+ing ") ~= nil,
        }`,
      play.nvim.chatPath,
    ),
  );
  if (!now.isChat) return back(play);
  const action = play.random.weighted<(play: Play) => Promise<string>>([
    [now.isOpen ? 10 : 0.5, decide],
    [now.isBusy || now.isOpen ? 1 : 10, ask],
    [now.isBusy ? 0.3 : 3, goOn],
    [now.isBusy ? 1 : 8, edit],
    [4, changeModel],
    [1, command],
    [3, async () => "waits"],
  ]);
  return action(play);
}

async function finish(play: Play): Promise<string[]> {
  const { nvim } = play;
  play.isGood = true;
  await nvim.until("the end of the prompts", async () => !(await isAsked(nvim)), 15_000);
  await press(play.nvim, "<Esc><C-\\><C-n>");
  await nvim.lua("vim.cmd('silent! buffer ' .. vim.fn.bufnr((...)))", nvim.chatPath);
  await nvim.until(
    "nothing under way",
    async () => {
      await nvim.lua("pcall(vim.cmd, 'messages clear') pcall(vim.cmd, 'Parley stop')");
      await new Promise((resolve) => setTimeout(resolve, 100));
      return !(await isAsked(nvim)) && /Nothing is running|not a chat/.test(await nvim.messages());
    },
    15_000,
  );
  const stale = await staleStatus(nvim);
  await nvim.until(
    "an answer to the last question",
    async () => {
      if ((await nvim.text()).includes("The last words.")) return true;
      const isIdle = await nvim.lua("return (vim.b.parley_status or ''):find('^%l+ing ') == nil");
      if (isIdle === true) {
        await nvim.lua("vim.cmd('silent! write!')");
        await nvim.lua("vim.cmd([[silent! %s#^model:.*#model: openai/gpt-5.5]])");
        await nvim.lua(
          "if not require('parley.text.chats').is_chat(0) then vim.cmd('Parley attach') end",
        );
        await press(play.nvim, "<Esc><C-\\><C-n>Go💬: last<Esc><C-g><C-g>");
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
      return false;
    },
    60_000,
  );
  return stale;
}

async function act(play: Play): Promise<string[]> {
  const { nvim, random, done } = play;
  await listen(nvim);
  for (let index = 0; index < 60; index += 1) {
    done.push(await next(play));
    await new Promise((resolve) => setTimeout(resolve, random.of([0, 20, 60, 200])));
  }
  const before = await nvim.messages();
  const faults = await finish(play);
  faults.push(...(await heard(nvim)), ...[before].filter((text) => unspoken.test(text)));
  faults.push(...refusedRequests(play.server));
  return faults;
}

describe.each(neovims)("any vendor in Neovim $version", ({ path, version }) => {
  it.each(seedsOfRun(40))("of seed %i", async (seed) => {
    const { home, init } = await installPlugin(import.meta.resolve("../support/live-tools.mjs"));
    const turns = (received: ReceivedRequest) => turnFor(play, received);
    const server = await startModelServer({ turns });
    onTestFinished(() => server.close());
    const nvim = await TestNeovim.start({
      ...{ path, home, env: server.environment },
      chat: {
        text: "---\ntopic: vendors\nmodel: openai/gpt-5.5\ntools: mock\n---\n\n💬: what is new?\n",
      },
      init,
    });
    onTestFinished(() => nvim.cleanUp());
    const play: Play = {
      ...{ nvim, server, random: createRandom(seed), done: [], words: 0, isGood: false },
    };
    await nvim.ready();
    const watchdog = answerPrompts({ nvim });
    const what = `vendors ${seed} in ${version}`;
    const faults = await faultsOf(
      what,
      play.done,
      act(play),
      nvim.gone().then(() => ["Neovim ended"]),
    );
    clearInterval(watchdog);
    expect(faults).toEqual([]);
  });
});
