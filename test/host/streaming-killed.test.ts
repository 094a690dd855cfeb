/** The host or Neovim is killed in the middle: the text stays whole, and nothing is left running. */
import { kill } from "node:process";
import { describe, expect, it } from "vitest";
import { asked, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { oneNeovim } from "../support/neovim.ts";
import { processesWith } from "../support/processes.ts";

async function openHalf(path: string, text = asked): Promise<LiveChat> {
  const live = await openLiveChat({ path, chat: { text } });
  const reply = await live.respond();
  reply.say("Half an ");
  await live.nvim.untilText(/Half an\n<!-- parley:unfinished open/);
  return live;
}

async function openRunning(path: string): Promise<LiveChat> {
  const live = await openLiveChat({ path });
  const reply = await live.respond();
  reply.call({ id: "call_1", query: "hold:one" });
  reply.end("tool_calls");
  await live.ended();
  await live.nvim.input("gg/^❓:<CR>ya");
  await live.nvim.until("the run", () => live.runs().includes("begin hold:one"));
  return live;
}

async function killHost(live: LiveChat): Promise<void> {
  kill(await live.hostPid(), "SIGKILL");
  await live.nvim.until("the message", async () =>
    (await live.nvim.messages()).includes("<C-g><C-g> in one of them starts it again"),
  );
}

/** The plugin's folder is the test's own, so every process that names it is of this test. */
function childrenOf({ nvim }: LiveChat): readonly number[] {
  return processesWith(`${nvim.home}/plugin-root/dist/`);
}

async function untilNoneLeft(live: LiveChat): Promise<void> {
  const end = Date.now() + 2000;
  while (childrenOf(live).length > 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(childrenOf(live)).toEqual([]);
}

describe.each(oneNeovim)("killed in Neovim $version", ({ path }) => {
  it("leaves the text of a stream whose host is killed; the next key asks again in place", async () => {
    const live = await openHalf(path);
    const { nvim } = live;
    const before = await nvim.text();
    await killHost(live);
    expect(await nvim.text()).toBe(before);
    expect(await nvim.file()).toBe(`${before}\n`);
    const again = await live.respond();
    again.say("Whole.");
    again.end();
    expect(await live.ended()).toBe("ParleyDone");
    const text = await nvim.text();
    expect(text).toBe(`${asked}\n🤖:[live]\n\nWhole.\n\n💬: `);
    expect(await nvim.file()).toBe(`${text}\n`);
    await nvim.input("u");
    await nvim.until("the half answer", async () => (await nvim.text()) === before);
  });

  it("leaves a running call interrupted when the host is killed; it runs again only when told", async () => {
    const live = await openRunning(path);
    const { nvim } = live;
    const before = await nvim.text();
    await killHost(live);
    await untilNoneLeft(live);
    expect(await nvim.text()).toBe(before);
    expect(await nvim.file()).toBe(`${before}\n`);
    await nvim.input("G<C-g><C-g>");
    await nvim.until("the question", async () =>
      (await nvim.virtualText()).includes("may or may not have run"),
    );
    expect(live.model.count()).toBe(1);
    await live.release("one", "found");
    await nvim.until("the tools", async () => !/listing its tools/.test(await nvim.virtualText()));
    await nvim.input("gg/^❓:<CR>yo");
    const next = await live.reply();
    next.say("Done.");
    next.end();
    await live.ended();
    expect(await nvim.text()).toMatch(/❓:\[yo\] .*\n\n🛠️: \[web_search\]\[call_1\]\n\n`found`/);
    expect(live.runs()).toEqual(["begin hold:one", "begin hold:one", "end hold:one"]);
  });

  it("has a suspended host started again after a stop; the text and the open call are as they were", async () => {
    const live = await openLiveChat({ path });
    const { nvim } = live;
    const reply = await live.respond();
    reply.call({ id: "call_1", query: "say:one" });
    reply.end("tool_calls");
    await live.ended();
    const before = await nvim.text();
    await nvim.lua(
      "vim.ui.select = function(items, options, choose) Asked = options.prompt choose(items[2], 2) end",
    );
    const suspended = await live.hostPid();
    kill(suspended, "SIGSTOP");
    await nvim.command("Parley stop");
    await nvim.until("another host", async () => {
      const pid = await nvim.lua(
        "local channel = require('parley.host').channel() return channel and vim.fn.jobpid(channel) or 0",
      );
      return pid !== 0 && pid !== suspended;
    });
    expect(await nvim.lua("return Asked")).toContain("has not answered the stop");
    expect(await nvim.text()).toBe(before);
    await nvim.until("the call", async () => /server mock/.test(await nvim.virtualText()));
    await nvim.input("gg/^❓:<CR>ya");
    (await live.reply()).end();
    await live.ended();
    expect(live.runs()).toEqual(["begin say:one", "end say:one"]);
    await nvim.until("the end of the suspended host", () => !childrenOf(live).includes(suspended));
  });

  it("ends the host and its tools with Neovim in mid-stream, and the file is whole", async () => {
    const live = await openHalf(path);
    expect(childrenOf(live)).not.toEqual([]);
    const file = await live.nvim.file();
    await live.nvim.kill();
    await untilNoneLeft(live);
    expect(await live.nvim.file()).toBe(file);
  });

  it.each([
    ...["qa!", "cquit", "bdelete!", "bwipeout!", "hide enew | qa!", "hide enew | bwipeout! #"],
    ...["vnew | wincmd p | q!", "set nohidden | tabnew | bdelete! #"],
    // As with 'confirm', and a no to whether to save.
    ...["confirm qa<CR>n", "confirm bdelete<CR>n", "set nohidden | confirm enew<CR>n"],
  ])("keeps an answer as far as it came at :%s", async (command) => {
    const { nvim } = await openHalf(path);
    await nvim.input("Gomine<Esc>");
    const text = await nvim.untilText(/mine$/);
    await nvim.input(`:${command}<CR>`);
    await nvim.until("the file", async () => (await nvim.file()) === `${text}\n`);
  });

  it("keeps an answer as far as it came in the file that another plugin moved", async () => {
    const { nvim } = await openHalf(path);
    const text = await nvim.text();
    // As snacks.rename does it.
    const isKept = `local from, old = vim.api.nvim_buf_get_name(0), vim.api.nvim_get_current_buf()
      local to = vim.fs.joinpath(vim.fs.dirname(from), "moved.md")
      vim.uv.fs_rename(from, to)
      vim.cmd.buffer(vim.fn.bufadd(to))
      vim.api.nvim_buf_delete(old, { force = true })
      function Kept()
        return table.concat(vim.fn.readfile(to), "\\n") == ... and not vim.bo.modified
      end`;
    await nvim.lua(isKept.replace("...", JSON.stringify(text)));
    await nvim.until("the file", () => nvim.lua("return Kept()"));
    expect(await nvim.text()).toBe(text);
  });

  it.each([
    ["a few lines", (text: string) => text.replace("💬:", "💬: old\r\n\n🤖:[x]\n\nOld.\n\n💬:")],
    ["all lines", (text: string) => text.replaceAll("\n", "\r\n")],
  ])("keeps an answer where carriage returns end %s", async (_, ending) => {
    const { nvim } = await openHalf(path, ending(asked));
    const before = await nvim.file();
    await nvim.input(":qa!<CR>");
    await nvim.gone();
    expect((await nvim.file()).startsWith(before)).toBe(true);
    expect(await nvim.file()).toMatch(/Half an\r?\n<!-- parley:unfinished open -->\r?\n$/);
  });

  it.each(["edit!", "hide enew | buffer # | edit!", "1delete | qa!", "%s/new/old/ | bwipeout!"])(
    "leaves the file as it is at :%s",
    async (command) => {
      const { nvim } = await openHalf(path);
      const isOver = command.endsWith("qa!")
        ? () => nvim.hasEnded
        : () => nvim.lua(`return not vim.bo.modified`);
      await nvim.input(`:${command}<CR>`);
      await nvim.until("the end", isOver);
      expect(asked.startsWith(await nvim.file())).toBe(true);
    },
  );

  it("keeps an answer as far as it came when the terminal is closed, since Neovim 0.12", async () => {
    const { nvim } = await openHalf(path);
    const before = await nvim.file();
    const text = await nvim.text();
    const isKept = (await nvim.lua("return vim.fn.has('nvim-0.12')")) === 1;
    nvim.process.stdin?.end();
    await nvim.gone();
    expect(await nvim.file()).toBe(isKept ? `${text}\n` : before);
  });

  it("ends a running tool with Neovim; the reopened chat shows it as interrupted", async () => {
    const live = await openRunning(path);
    const before = await live.nvim.text();
    expect(childrenOf(live).length).toBeGreaterThan(1);
    await live.nvim.kill();
    await untilNoneLeft(live);
    const again = await live.reopen();
    await again.nvim.until("the question", async () =>
      (await again.nvim.virtualText()).includes("may or may not have run"),
    );
    expect(await again.nvim.text()).toBe(before);
    expect(again.runs().filter((run) => run === "begin hold:one")).toHaveLength(1);
  });
});
