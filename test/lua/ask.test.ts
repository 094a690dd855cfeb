/** Questions from the host, as they reach the user. */
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { watchScreen } from "../support/screen.ts";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

let editor: Editor | undefined;
afterEach(async () => {
  await editor?.quit();
  editor = undefined;
});

const keepQuestions = `Asked = {}
vim.ui.select = function(items, options, choose)
  table.insert(Asked, { prompt = options.prompt, mode = vim.api.nvim_get_mode().mode })
  choose(items[1])
end`;

const question = {
  kind: "select",
  prompt: "shop asks",
  details: ["why"],
  items: [{ label: "Answer", value: 0 }],
  patient: true,
};

describe.each(neovims)("a question in Neovim $version", (neovim) => {
  const mode = async () =>
    z.object({ mode: z.string() }).parse(await editor?.nvim.request("nvim_get_mode", [])).mode;
  /** The older one says that it was interrupted, and waits for ENTER; and a key may come before the prompt takes any. */
  const interrupt = () =>
    poll("the end of the prompt", async () => {
      const now = await mode();
      if (now !== "n") await editor?.press(now === "r" ? "<CR>" : "<C-u><C-c>");
      return now === "n";
    });

  it("that no key caused waits until the user types nothing", async () => {
    editor = await startEditor(neovim, { before: keepQuestions });
    const { call, lua, press } = editor;
    await editor.openChat("one.md", ["💬: hi"]);
    await press("Go");
    await poll("Insert mode", () => lua("return vim.fn.mode() == 'i'"));
    await call("ask", 1, question);
    await poll("the hint", () =>
      lua(
        "return (Notified[1] or ''):find('A question waits until you are in Normal mode') ~= nil",
      ),
    );
    expect(await lua("return #Asked")).toBe(0);
    await press("<C-o>d");
    await poll("an operator", () => lua("return vim.fn.mode(1):find('^no') ~= nil"));
    expect(await lua("return #Asked")).toBe(0);
    expect(await lua("return #Notified")).toBe(1);
    await press("d<Esc>");
    await poll("the question", () => lua("return #Asked == 1"));
    expect(await lua("return Asked[1].mode")).toBe("n");
    const [answer] = await poll("the answer", async () => {
      const answers = (await editor?.received("answer")) ?? [];
      return answers.length > 0 && answers;
    });
    expect(answer).toMatchObject({ id: 1, value: 0 });
    expect(await lua("return #vim.api.nvim_list_wins()")).toBe(1);
  });

  it("that is withdrawn before it was shown is never shown", async () => {
    editor = await startEditor(neovim, { before: keepQuestions });
    const { call, lua, press } = editor;
    await editor.openChat("one.md", ["💬: hi"]);
    await press("Go");
    await poll("Insert mode", () => lua("return vim.fn.mode() == 'i'"));
    await call("ask", 1, question);
    await call("withdraw", 1);
    await press("<Esc>");
    await call("ask", 2, { ...question, prompt: "another" });
    await poll("the other one", () => lua("return #Asked == 1"));
    expect(await lua("return Asked[1].prompt")).toBe("another");
  });

  it.each([
    ["Neovim", ""],
    ["a plugin", keepQuestions],
  ])(
    "by %s is asked once all of its details were seen, however long they are",
    async (_, before) => {
      editor = await startEditor(neovim, { before });
      const { call, press, screen } = editor;
      await editor.openChat("one.md", ["💬: hi"]);
      // At a prompt of its own Neovim answers nothing else.
      const isAsked = async () =>
        before === "" ? (await mode()) !== "n" : (await editor?.lua("return #Asked")) !== 0;
      const shown = async () => (await screen()).join("\n");
      const lines = Array.from({ length: 80 }, (_, index) => `env: A${index}=1`);
      const long = `command: npx ${"word ".repeat(1000)}`;
      let id = 0;
      for (const details of [
        [...lines, "the end"],
        [`${long}the end`],
        [long, ...lines, "the end"],
      ]) {
        id += 1;
        await call("ask", id, { ...question, details });
        await poll("the first page", async () => (await shown()).includes("<CR> shows more"));
        for (;;) {
          const now = await shown();
          expect(now.includes("the end")).toBe(now.includes("<CR> asks"));
          if (now.includes("<CR> asks")) break;
          await press("<CR>");
          await poll("the next page", async () => (await shown()) !== now);
        }
        expect(await isAsked()).toBe(false);
        await press(id === 2 ? "q" : "<CR>");
        if (id !== 2) await poll("the question", isAsked);
        if (before === "" && id !== 2) await press("1<CR>");
        const answer = await poll("the answer", async () =>
          (await editor?.received("answer"))?.find((one) => one.id === id),
        );
        expect(answer.value).toBe(id === 2 ? undefined : 0);
        if (before !== "") await editor.lua("Asked = {}");
      }
      expect(await editor.lua("return #vim.api.nvim_list_wins()")).toBe(1);
    },
  );

  it("is seen to its end above a picker, which cuts its title", async () => {
    editor = await startEditor(neovim, { before: "vim.ui.select = function() end" });
    const { call, lua, screen } = editor;
    await editor.openChat("one.md", ["💬: hi"]);
    const prompt = `A tool wants to change ${"/folder".repeat(20)}/the-end. Allow it this once?`;
    await call("ask", 1, { kind: "confirm", prompt });
    await poll("the end", async () => (await screen()).join("").includes("/the-end. Allow it"));
    await call("withdraw", 1);
    await poll("no window", () => lua("return #vim.api.nvim_list_wins() == 1"));
  });

  it("that is interrupted, or that nobody can show, is left", async () => {
    editor = await startEditor(neovim);
    const { call, lua } = editor;
    await editor.openChat("one.md", ["💬: hi"]);
    const left = async (id: number) => {
      const answers = (await editor?.received("answer")) ?? [];
      return answers.some((answer) => answer.id === id && !("value" in answer));
    };
    await call("ask", 1, question);
    await poll("the prompt", async () => (await mode()) !== "n");
    await interrupt();
    await poll("the interrupt", () => left(1));
    await lua("vim.ui.select = function() error('no picker') end");
    await call("ask", 2, question);
    await poll("the error", () => left(2));
    expect(await lua("return Notified[#Notified]")).toMatch(/could not be asked: .*no picker/);
  });

  it("of a command counts as cancelled where a plugin fails to ask it, and that is told", async () => {
    editor = await startEditor(neovim);
    const path = editor.writeChat("one.md", ["💬: hi"]);
    await editor.lua("vim.cmd.edit((...))", path);
    await editor.lua(`vim.ui.select = function() error("no picker", 0) end
      vim.ui.input = function() error("no input", 0) end`);
    for (const [command, said] of [
      ["rename", 'The question "Name of the chat:" could not be asked: no input'],
      ["move", 'The question "Folder for the chat:" could not be asked: no input'],
      ["quote", 'The question "Ask about these lines:" could not be asked: no input'],
      [
        "delete",
        'The question "Delete one.md? It goes to the trash folder." could not be asked: no picker',
      ],
    ] as const) {
      await editor.nvim.command(`Parley ${command}`);
      expect(await editor.lua("return Notified[#Notified]")).toBe(said);
    }
    expect(await editor.lines()).toEqual(["💬: hi"]);
    expect((await editor.received()).map(({ action }) => action)).not.toContain("command");
    // An error behind the answer is not one of the question.
    const failing = `vim.ui.input = function(_, take) take("x") end
      require("parley.messages.prompts").input({ prompt = "?" }, function() error("behind it") end)`;
    await expect(editor.lua(failing)).rejects.toThrow("behind it");
  });

  it("that is answered leaves nothing to press ENTER for, and nothing on the command line", async () => {
    editor = await startEditor(neovim);
    const { call, lua, press } = editor;
    await editor.openChat("one.md", ["💬: hi"]);
    await lua("vim.o.columns = 60");
    await call("ask", 1, question);
    await poll("the prompt", async () => (await mode()) !== "n");
    await press("1<CR>");
    await poll("the first answer", async () => (await editor?.received("answer"))?.length === 1);
    expect(await mode()).toBe("n");
    await call("ask", 2, { kind: "input", prompt: "name: " });
    await poll("the prompt", async () => (await mode()) === "c");
    await press("typed<CR>");
    await poll("the second answer", async () => (await editor?.received("answer"))?.length === 2);
    expect((await editor.screen()).join("\n")).not.toContain("typed");
  });

  it("is seen from its first words where there is no command line", async () => {
    editor = await startEditor(neovim);
    const { call, lua, nvim } = editor;
    const path = editor.writeChat("one.md", ["💬: hi"]);
    await editor.openChat("one.md", ["💬: hi"]);
    await nvim.uiDetach();
    await nvim.uiAttach(100, 30, { ext_linegrid: true });
    const screen = await watchScreen({ client: nvim, command: (text) => nvim.command(text) });
    await lua("vim.o.cmdheight, Delete = 0, require('parley.pickers.chat_files').delete");
    const long = `Is it so ${"that words are ".repeat(9)}lost? `;
    for (const [words, ask] of [
      ["Which server asks", () => call("ask", 1, { ...question, details: ["Which server asks"] })],
      ["Is it so", () => call("ask", 2, { kind: "input", prompt: long })],
      ["Is it so", () => call("ask", 3, { kind: "input", prompt: long, secret: true })],
      [
        "Delete one.md?",
        () => lua("local path = ... vim.schedule(function() pcall(Delete, path) end)", path),
      ],
    ] as const) {
      await ask();
      await poll(`“${words}” on the screen`, async () => screen.text().includes(words));
      await interrupt();
    }
  });

  it("that is withdrawn while Neovim asks it ends, and is not answered", async () => {
    editor = await startEditor(neovim);
    const { call } = editor;
    await editor.openChat("one.md", ["💬: hi"]);
    await call("ask", 1, { kind: "input", prompt: "name: ", default: "A", patient: true });
    await poll("the prompt", async () => (await mode()) === "c");
    await call("withdraw", 1);
    await poll("its end", async () => (await mode()) === "n");
    expect(await editor.received("answer")).toEqual([]);
  });
});
