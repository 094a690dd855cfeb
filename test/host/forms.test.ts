/** What servers ask the user, answered by keys in every supported Neovim. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kill } from "node:process";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { asking } from "../support/mcp-server.ts";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";
import { childrenOf, processesWith } from "../support/processes.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

/** What the server asks for in a form of one field. */
const oneField = {
  method: "elicitation/create",
  params: {
    message: "Which city?",
    requestedSchema: { type: "object", properties: { city: { type: "string" } } },
  },
};

async function open(path: string, init = "", tool = "city", args = {}): Promise<TestNeovim> {
  const home = await mkdtemp(join(tmpdir(), "parley-forms-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { asking } }));
  const calls = [{ id: "c1", name: `mcp__asking__${tool}`, arguments: args }];
  const turns = [{ calls }, { text: "That was all." }];
  await writeFile(join(home, "script.json"), JSON.stringify({ turns }));
  const chat = `---\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: ask me\n`;
  editor = await TestNeovim.start({ path, home, chat: { text: chat }, init });
  await editor.ready();
  return editor;
}

async function run(nvim: TestNeovim): Promise<void> {
  await nvim.input("G<C-g><C-g>");
  await nvim.until("the keys named", async () => /ya all/.test(await nvim.virtualText()));
  await nvim.input("gg/^❓:<CR>ya");
}

async function killHost(nvim: TestNeovim): Promise<void> {
  const children = childrenOf(nvim.process.pid ?? 0);
  for (const pid of processesWith("host.js")) if (children.includes(pid)) kill(pid, "SIGKILL");
  await nvim.until("the message", async () =>
    (await nvim.messages()).includes("host ended unexpectedly"),
  );
}

describe.each(oneNeovim)("a server's form in Neovim $version", ({ path }) => {
  it("is a text that is filled in and written, with mistakes at their line", async () => {
    const nvim = await open(path);
    await run(nvim);
    const shown = await nvim.untilText(/^# asking asks$/m);
    expect(shown).toContain("for the call ❓: city (line 9 of chat.md).\n# │ Which city?");
    await nvim.input("AB<Esc>:w<CR>");
    await nvim.until("the mistake", async () =>
      (await nvim.messages()).includes("Write at least 2 characters."),
    );
    expect(await nvim.lua("return #vim.diagnostic.get(0)")).toBe(1);
    expect(await nvim.lua("return vim.api.nvim_get_current_line()")).toBe("city: B");
    await nvim.input("Aern<Esc>jjjjA<C-x><C-o><C-y><Esc>");
    await nvim.untilText(/^color: Red$/m);
    // It comes back when what was written and left in one is wrong.
    await nvim.input("Sshade: Red<Esc>:wq<CR>");
    await nvim.until("the form again", async () =>
      (await nvim.messages()).includes("This is not a field of the form."),
    );
    await nvim.untilText(/^shade: Red$/m);
    await nvim.input("0cwcolor<Esc>:x<CR>");
    await nvim.until(
      "the chat",
      async () => (await nvim.lua("return #vim.api.nvim_list_wins()")) === 1,
    );
    const text = await nvim.untilText(/That was all\.\n\n💬: $/);
    expect(text).toContain('{"action":"accept","content":{"city":"Bern","color":"r"}}');
  });

  it("is declined when its text is left", async () => {
    const nvim = await open(path);
    await run(nvim);
    await nvim.untilText(/^# asking asks$/m);
    await nvim.input("ABern<Esc>:q<CR>");
    expect(await nvim.untilText(/That was all\.\n\n💬: $/)).toContain('{"action":"decline"}');
  });

  it("is taken away with its text by a stop", async () => {
    const nvim = await open(path);
    await run(nvim);
    await nvim.untilText(/^# asking asks$/m);
    await nvim.command("wincmd p");
    await nvim.command("Parley stop");
    await nvim.until(
      "one window",
      async () => (await nvim.lua("return #vim.api.nvim_list_wins()")) === 1,
    );
    await nvim.untilText(/❓[\s\S]*cancelled/);
  });

  it("keeps what was typed when the host is killed, and sends it to nobody", async () => {
    const nvim = await open(path);
    await run(nvim);
    await nvim.untilText(/^# asking asks$/m);
    await nvim.input("ABern<Esc>");
    await killHost(nvim);
    await nvim.input(":w<CR>");
    await nvim.until("the words", async () =>
      (await nvim.messages()).includes("any more, so nothing was sent"),
    );
    // Nobody took it, so what writes and leaves does not leave.
    await nvim.input("ZZ:wq<CR>:x<CR>");
    await nvim.input(":let g:done = 1<CR>");
    await nvim.until("the keys", () => nvim.lua("return vim.g.done == 1"));
    expect(await nvim.text()).toMatch(/^city: Bern$/m);
    await nvim.input(":q<CR>");
    await nvim.until("the chat", async () => /^💬: ask me$/m.test(await nvim.text()));
  });

  it("is answered by its own question alone, whatever was asked by a host that was killed", async () => {
    const init = `Asked = {}
vim.ui.select = function(items, _, choose)
  table.insert(Asked, function(at) choose(items[at]) end)
end`;
    const params = { message: "Sure?", requestedSchema: { type: "object", properties: {} } };
    const nvim = await open(path, init, "ask", { method: "elicitation/create", params });
    const isAsked = (times: number) => async () => (await nvim.lua("return #Asked")) === times;
    await run(nvim);
    await nvim.until("the question", isAsked(1));
    await killHost(nvim);
    await nvim.input("G<C-g><C-g>");
    await nvim.until("the call with its tool", async () =>
      /may have run · server asking[\s\S]*ya all/.test(await nvim.virtualText()),
    );
    await nvim.input("gg/^❓:<CR>ya");
    await nvim.until("the question once more", isAsked(2));
    await nvim.lua("Asked[1](2)");
    await nvim.lua("Asked[2](1)");
    expect(await nvim.untilText(/That was all\.\n\n💬: $/)).toContain('{"action":"decline"}');
  });

  it.each(["Parley stop", "Parley stop call"])(
    "is taken away by :%s, and a late answer is not sent",
    async (stop) => {
      const init = `Asked = {}
vim.ui.select = function(items, options, choose)
  table.insert(Asked, { options.prompt, choose })
end`;
      const nvim = await open(path, init, "ask", oneField);
      await run(nvim);
      await nvim.until("the question", async () => (await nvim.lua("return #Asked")) === 1);
      await nvim.until("the words at the call", async () =>
        (await nvim.virtualText()).includes("waits for your answer to its server"),
      );
      const shown = `local lines = {}
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        vim.list_extend(lines, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
      end
      return table.concat(lines, "\\n")`;
      expect(await nvim.lua(shown)).toContain("│ Which city?");
      await nvim.command("call search('^❓', 'w')");
      await nvim.command(stop);
      await nvim.untilText(/❓[\s\S]*cancelled/);
      await nvim.until(
        "the window gone",
        async () => !String(await nvim.lua(shown)).includes("│ Which"),
      );
      await nvim.lua("Asked[1][2]({ label = 'Answer', value = 0 })");
      await nvim.until("the notice", async () =>
        (await nvim.messages()).includes("no longer waits for an answer; nothing was sent"),
      );
      expect(await nvim.lua("return #Asked")).toBe(1);
    },
  );

  it("asks for an answer of the model only where that is configured, and shows it whole", async () => {
    const init = `Asked = {}
vim.ui.select = function(items, options, choose)
  local lines = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    vim.list_extend(lines, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
  end
  table.insert(Asked, options.prompt .. "\\n" .. table.concat(lines, "\\n"))
  choose(items[2])
end
require("parley").setup({ model = "mock/demo", mcp = { sampling = "ask" } })`;
    const nvim = await open(path, init, "poem");
    await run(nvim);
    const text = await nvim.untilText(/That was all\.\n\n💬: $/);
    expect(text).toContain('`{"model":"mock/demo","stopReason":"endTurn","role":"assistant"');
    expect(text).toContain("I heard you: “A poem in two lines.”");
    const asked = z.array(z.string()).parse(await nvim.lua("return Asked"));
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/^asking wants an answer of mock\/demo\n/);
    expect(asked[0]).toContain("user:\n│ A poem\n│ in two lines.");
    expect(asked[1]).toMatch(/^Give this answer to asking\n/);
  });
});
