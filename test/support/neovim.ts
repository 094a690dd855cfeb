/** A real Neovim with a screen attached, the plugin on its runtimepath, and folders of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { attach, type NeovimClient } from "neovim";
import { z } from "zod";

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

/** The Neovim versions this run is for; scripts/test.mjs and vitest.config.ts find them. */
export const neovims = z
  .array(z.object({ version: z.string(), path: z.string() }))
  .parse(JSON.parse(process.env.PARLEY_TEST_NVIMS ?? "[]"));

const logger = { level: "error", info() {}, warn() {}, error() {}, debug() {} };

export interface NeovimOptions {
  readonly path: string;
  /** Name and text of the chat that is opened; put into the chat folder. */
  readonly chat?: { readonly name?: string; readonly text: string };
  /** Keep working in the folders of an earlier one: a reopened editor. */
  readonly home?: string;
  /** Lua run before the plugin is loaded. */
  readonly init?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class TestNeovim {
  readonly client: NeovimClient;
  readonly process: ChildProcess;
  readonly home: string;
  readonly chatPath: string;
  stderr = "";

  private constructor(child: ChildProcess, home: string, chatPath: string) {
    this.process = child;
    this.home = home;
    this.chatPath = chatPath;
    child.stdin?.on("error", () => {});
    child.stderr?.on("data", (text) => {
      this.stderr += text;
    });
    // The package's type wants winston's logger; these five members are what it uses of it.
    this.client = attach({ proc: child, options: { logger: logger as never } });
  }

  static async start(options: NeovimOptions): Promise<TestNeovim> {
    const home = options.home ?? (await mkdtemp(join(tmpdir(), "parley-test-")));
    const chatPath = join(home, "data", "nvim", "parley", options.chat?.name ?? "chat.md");
    const init = join(home, "init.lua");
    await mkdir(dirname(chatPath), { recursive: true });
    await writeFile(init, initLua(options.init ?? ""));
    if (options.chat) await writeFile(chatPath, options.chat.text);
    const child = spawn(options.path, ["--embed", "-n", "-i", "NONE", "-u", init, chatPath], {
      cwd: home,
      env: environment(home, options.env ?? {}),
      stdio: "pipe",
    });
    const editor = new TestNeovim(child, home, chatPath);
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

  /** All virtual text and virtual lines in the buffer, one line each. */
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

  /** Resolves when the process has ended. */
  async gone(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    await new Promise((resolve) => this.process.once("exit", resolve));
  }

  async cleanUp(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    await rm(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function initLua(before: string): string {
  return `vim.opt.runtimepath:prepend(${JSON.stringify(projectRoot)})
vim.o.swapfile = false
vim.o.shortmess = vim.o.shortmess .. "I"
${before}
vim.cmd("filetype plugin on")
`;
}

function environment(home: string, extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, TERM } = process.env;
  return {
    PATH,
    TERM: TERM ?? "xterm-256color",
    LANG: "C.UTF-8",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    PARLEY_NODE: process.execPath,
    PARLEY_MOCK_DELAY_MS: "0",
    ...extra,
  };
}
