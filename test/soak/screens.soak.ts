/** Screens of any size, keys and commands in any order: nobody meets an error of the program. */
import { describe, expect, it } from "vitest";
import { header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";
import { createRandom, type Random } from "../support/random.mjs";
import { keepFailure } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import { answerPrompts, backToChat, look } from "./user.ts";

const raw = /stack traceback|\.lua:\d+:|Error executing|attempt to \w+ a|could not do that/;

const commands = [
  ...["toggle", "chats", "tools", "status", "outline", "tree", "help", "mcp", "models", "usage"],
  ...["preview", "changes", "details", "log", "check", "copy", "next", "new", "ask why", "prompt"],
  ...["follow", "system_prompt", "approve", "rename x", "tags a", "branch", "remembered", "agent"],
  ...["deny", "retry", "stop", "detach", "attach", "fix", "undo-edits", "apply", "restart"],
] as const;
const keys = [
  ...["ya", "yo", "yn", "yA", "yO", "yN", "K", "<C-g>?", "<C-g>x", "]w", "[w", "]]", "[[", "gO"],
  ...["zM", "zR", "za", "zz", "zt", "zb", "gg", "G", "<C-d>", "<C-u>", "<C-e>", "<C-y>", "gf"],
  ...["<C-w>v", "<C-w>s", "<C-w>|", "<C-w>_", "<C-w>=", "<C-w>w", "<C-w>c", "<C-w>T", "<C-w>o"],
  ...["ix<Esc>", "ox<Esc>", "dd", "u", "<C-r>", "<Space>", "<CR>", "q", "<Esc>", "j", "k", "<Tab>"],
  ...["<C-s>", "<C-v><Esc>", "gt", ":only<CR>", ":tabnew<CR>", ":enew<CR>", ":bnext<CR>", "<C-o>"],
] as const;

async function resize({ nvim }: LiveChat, random: Random): Promise<string> {
  const columns = random.of([12, 13, 15, 20, 25, 40, 80, 120, 300]);
  const rows = random.of([2, 3, 4, 5, 6, 8, 12, 24, 40, 100]);
  await nvim.client.request("nvim_ui_try_resize", [columns, rows]);
  return `${columns} × ${rows}`;
}

async function step(live: LiveChat, random: Random): Promise<string> {
  const { nvim } = live;
  const how = random.below(5);
  if (how === 0) return resize(live, random);
  if (how === 1) {
    await backToChat(nvim);
    return "back to the chat";
  }
  if (how < 4) {
    const pressed = random.of(keys);
    await nvim.input(pressed);
    return pressed;
  }
  const command = random.of(commands);
  await look(nvim, `Parley ${command}`, 0);
  return command;
}

async function play(live: LiveChat, random: Random, done: string[]): Promise<string> {
  const { nvim } = live;
  done.push(await resize(live, random));
  await nvim.input("G");
  const first = await live.respond();
  first.think("Hm. ");
  first.say(
    "# Words\n\n",
    "Some *words* ".repeat(30),
    "\n\n```lua\nlocal x = 1\n```\n\n| a |\n|---|\n",
  );
  first.call({ id: "call_1", query: "say:ran\nwell" }, { id: "call_2", query: "say:again" });
  first.end("tool_calls");
  await live.ended();
  let said = "";
  for (let index = 0; index < 25; index += 1) {
    done.push(await step(live, random));
    await nvim.lua("vim.wait(50, function() return false end)");
    const reply = live.model.take();
    reply?.say("Done.");
    if (random.below(2) === 0) reply?.end();
    said += `${await nvim.messages()}\n`;
    await nvim.command("messages clear");
  }
  return said;
}

describe.each(neovims)("screens of any size in Neovim $version", ({ path, version }) => {
  it.each(seedsOfRun(40))("of seed %i", async (seed) => {
    const random = createRandom(seed);
    const chat = { text: `${header}💬: what is new?\n` };
    const live = await openLiveChat({ path, chat });
    const done: string[] = [];
    const watchdog = answerPrompts(live);
    const said = await Promise.race([
      play(live, random, done),
      live.nvim.gone().then(() => "stack traceback: Neovim ended"),
      new Promise<string>((resolve) => {
        setTimeout(() => resolve("stack traceback: it takes more than a minute"), 60_000);
      }),
    ]).catch((error: unknown) => `stack traceback: ${error}`);
    clearInterval(watchdog);
    if (raw.test(said)) await keepFailure(`screens ${seed} in ${version}`, [...done, said]);
    expect(said).not.toMatch(raw);
  });
});
