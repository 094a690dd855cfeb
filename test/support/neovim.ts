/** A real Neovim with a screen attached, the plugin on its runtimepath, and folders of its own. */
import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NeovimClient } from "neovim";
import { z } from "zod";
import { environmentIn, openNeovim } from "../../scripts/lib/editor.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { withPatience } from "./patience.ts";
import { removeFolder } from "./remove-folder.ts";

export { casesFor, itInTurn, neovims, oneNeovim } from "./neovims.ts";

export interface NeovimOptions {
  readonly path: string;
  /** Name and text of the chat that is opened; put into the chat folder. `isOld`: written an hour ago, as most are. */
  readonly chat?: { readonly name?: string; readonly text: string; readonly isOld?: boolean };
  /** Keep working in the folders of an earlier one: a reopened editor. */
  readonly home?: string;
  /** Lua run before the plugin is loaded. */
  readonly init?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** With swap files, as people have them. */
  readonly swap?: boolean;
}

export class TestNeovim {
  readonly client: NeovimClient;
  readonly process: ChildProcess;
  readonly home: string;
  chatPath: string;
  readonly #opened: ReturnType<typeof openNeovim>;

  private constructor(opened: ReturnType<typeof openNeovim>, home: string, chatPath: string) {
    this.#opened = opened;
    this.process = opened.process;
    this.client = opened.client;
    this.home = home;
    this.chatPath = chatPath;
  }

  get stderr(): string {
    return this.#opened.stderr();
  }

  static async start(options: NeovimOptions): Promise<TestNeovim> {
    const home = options.home ?? (await mkdtemp(join(tmpdir(), "parley-test-")));
    const chatPath = join(home, "data", "nvim", "parley", options.chat?.name ?? "chat.md");
    // A file of its own for each Neovim: one that starts meanwhile in the same folders would read a half-written one.
    const init = join(await mkdtemp(join(home, "init-")), "init.lua");
    await mkdir(dirname(chatPath), { recursive: true });
    await writeFile(init, initLua(options));
    if (options.chat) await writeFile(chatPath, options.chat.text);
    const anHourAgo = Date.now() / 1000 - 3600;
    if (options.chat?.isOld) await utimes(chatPath, anHourAgo, anHourAgo);
    const opened = openNeovim({
      path: options.path,
      args: [...(options.swap ? [] : ["-n"]), "-i", "NONE", "-u", init, chatPath],
      cwd: home,
      env: environmentIn(home, { PARLEY_MOCK_DELAY_MS: "0", ...options.env }),
    });
    withPatience(opened.client);
    const editor = new TestNeovim(opened, home, chatPath);
    await editor.client.request("nvim_ui_attach", [120, 40, { ext_linegrid: true }]);
    return editor;
  }

  async input(keys: string): Promise<void> {
    await this.client.request("nvim_input", [keys]);
  }

  async lua(code: string, ...parameters: unknown[]): Promise<unknown> {
    return this.client.request("nvim_exec_lua", [code, parameters]);
  }

  async command(command: string): Promise<void> {
    await this.client.request("nvim_command", [command]);
  }

  async lines(): Promise<string[]> {
    return z
      .array(z.string())
      .parse(await this.client.request("nvim_buf_get_lines", [0, 0, -1, false]));
  }

  async text(): Promise<string> {
    return (await this.lines()).join("\n");
  }

  async file(): Promise<string> {
    return readFile(this.chatPath, "utf8");
  }

  async messages(): Promise<string> {
    const answer = await this.client.request("nvim_exec2", ["messages", { output: true }]);
    return z.object({ output: z.string() }).parse(answer).output;
  }

  /** Another chat in the window, in a file of its own. */
  async openChat(name: string, text: string): Promise<void> {
    this.chatPath = join(dirname(this.chatPath), name);
    await writeFile(this.chatPath, text);
    await this.lua("vim.cmd.edit(vim.fn.fnameescape((...)))", this.chatPath);
  }

  /** All virtual text and virtual lines in the buffer, and the rows of closed folds, one line each. */
  async virtualText(): Promise<string> {
    const code = `local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
        local details = mark[4]
        local chunks = {}
        for _, chunk in ipairs(details.virt_text or {}) do chunks[#chunks + 1] = chunk[1] end
        if #chunks > 0 then found[#found + 1] = table.concat(chunks) end
        for _, line in ipairs(details.virt_lines or {}) do
          local parts = {}
          for _, chunk in ipairs(line) do parts[#parts + 1] = chunk[1] end
          found[#found + 1] = table.concat(parts)
        end
      end
      for row = 1, vim.fn.line("$") do
        if vim.fn.foldclosed(row) == row then found[#found + 1] = vim.fn.foldtextresult(row) end
      end
      return table.concat(found, "\\n")`;
    return z.string().parse(await this.lua(code));
  }

  /** Polls until `check` gives something other than false, null or undefined; fails with what it saw. */
  async until<T>(
    what: string,
    check: () => Promise<T | false | null | undefined> | T | false | null | undefined,
    patienceMs = 10_000,
  ): Promise<T> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const value = await check();
      if (value !== false && value !== null && value !== undefined) return value;
      if (Date.now() > end) {
        throw new Error(
          `Waited in vain for: ${what}\n--- buffer\n${await this.text()}\n--- messages\n${await this.messages()}\n--- stderr\n${this.stderr}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async untilText(pattern: RegExp, patienceMs?: number): Promise<string> {
    return this.until(
      `text ${pattern}`,
      async () => {
        const text = await this.text();
        return pattern.test(text) && text;
      },
      patienceMs,
    );
  }

  /** Ready when the host follows the buffer and the chat's keys are there. */
  async ready(): Promise<void> {
    await this.until("the respond key", async () => {
      return (await this.client.call("maparg", ["<C-g><C-g>", "n"])) !== "";
    });
    // What was scheduled with it, such as the cursor's way to the last question, comes before the next request.
    await this.until("what follows the opening", () =>
      this.lua(`local is_over = vim.g.parley_test_over
        if is_over == nil then
          vim.g.parley_test_over = false
          vim.schedule(function() vim.g.parley_test_over = true end)
        elseif is_over then
          vim.g.parley_test_over = nil
        end
        return is_over == true`),
    );
  }

  async quit(): Promise<void> {
    const gone = this.gone();
    this.client.command("qa!").catch(() => {});
    await gone;
  }

  async kill(): Promise<void> {
    const gone = this.gone();
    this.process.kill("SIGKILL");
    await gone;
  }

  get hasEnded(): boolean {
    return this.#opened.hasEnded();
  }

  /** Resolves when the process has ended. */
  async gone(): Promise<void> {
    await this.#opened.gone;
  }

  async cleanUp(): Promise<void> {
    if (!this.#opened.hasEnded()) await this.kill();
    await removeFolder(this.home);
  }
}

function initLua({ swap = false, init = "" }: NeovimOptions): string {
  return `vim.opt.runtimepath:prepend(${JSON.stringify(projectRoot)})
vim.o.swapfile = ${swap}
-- A lone ya waits this long for a text object; a second for each would be minutes of the tests.
vim.o.timeoutlen = 100
vim.o.shortmess = vim.o.shortmess .. "I"
${init}
vim.cmd("filetype plugin on")
`;
}
