/** What hundreds of answers in one chat, and dozens of chats that come and go, leave behind in host and Neovim. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { startModelServer } from "../support/model-server.ts";
import { neovims, TestNeovim } from "../support/neovim.ts";
import { keepFailure } from "./failures.ts";

const answers = Number(process.env.PARLEY_SOAK_ANSWERS ?? 300);
const chats = 50;
const words = `${"Some words of the answer, enough for a paragraph. ".repeat(12)}\n`;
const hook = new URL("host-memory.mjs", import.meta.url).href;

const memory = z.object({
  /** Resident bytes before and after the garbage was collected. */
  before: z.number(),
  rss: z.number(),
  heapUsed: z.number(),
  external: z.number(),
  handles: z.number(),
});

function residentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;

describe.runIf(process.platform === "linux").each(neovims)(
  "memory in Neovim $version",
  ({ path }) => {
    it("comes back", async () => {
      const server = await startModelServer({ turns: () => ({ text: words, chunkSize: 60 }) });
      const text = "---\ntopic: long\nmodel: openai/gpt-5\n---\n\n💬: hello\n";
      const file = join(projectRoot, ".cache", `memory-${process.pid}.json`);
      const env = {
        ...server.environment,
        NODE_OPTIONS: `--import=${hook}`,
        PARLEY_MEMORY_FILE: file,
      };
      const nvim = await TestNeovim.start({ path, chat: { text }, env });
      try {
        await nvim.ready();
        const pid = z
          .number()
          .parse(await nvim.lua("return vim.fn.jobpid(require('parley.host').channel())"));
        const look = async (when: string) => {
          rmSync(file, { force: true });
          process.kill(pid, "SIGUSR2");
          await nvim.until(
            "the host's word",
            () => existsSync(file) && readFileSync(file, "utf8").endsWith("}"),
          );
          const host = memory.parse(JSON.parse(readFileSync(file, "utf8")));
          const marks = z.number().parse(
            await nvim.lua(`local count = 0
            for _, buf in ipairs(vim.api.nvim_list_bufs()) do
              if vim.api.nvim_buf_is_loaded(buf) then
                count = count + #vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, {})
              end
            end
            collectgarbage()
            return count`),
          );
          const lua = z.number().parse(await nvim.lua("return collectgarbage('count') * 1024"));
          const editor = residentOf(nvim.process.pid ?? 0);
          await keepFailure(`memory, Neovim, ${when}`, [
            `host ${megabytes(host.before)} MB resident, ${megabytes(host.rss)} after a collection, heap ${megabytes(host.heapUsed)}, external ${megabytes(host.external)}, ${host.handles} handles`,
            `Neovim ${megabytes(editor)} MB resident, Lua ${megabytes(lua)}, ${marks} marks`,
          ]);
          return { ...host, marks, lua, editor };
        };

        const answer = async () => {
          await nvim.lua("Ended = false");
          const began = performance.now();
          await nvim.input("Go💬: more<Esc><C-g><C-g>");
          await nvim.until("an answer", () => nvim.lua("return Ended"));
          return performance.now() - began;
        };
        await nvim.lua(
          "vim.api.nvim_create_autocmd('User', { pattern = { 'ParleyDone', 'ParleyError' }, callback = function() Ended = true end })",
        );
        const times: number[] = [];
        for (let round = 0; round < 20; round += 1) times.push(await answer());
        const early = await look("20 answers");
        for (let round = 20; round < answers; round += 1) times.push(await answer());
        const late = await look(`${answers} answers`);
        const median = (of: number[]) =>
          [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
        await keepFailure("time of an answer", [
          `first 20: ${median(times.slice(0, 20)).toFixed(0)} ms, last 20: ${median(times.slice(-20)).toFixed(0)} ms`,
        ]);
        // The text of the chat itself: a line in the mirror, in the transcript, in the requests.
        const textBytes = (await nvim.text()).length;
        expect(late.heapUsed - early.heapUsed).toBeLessThan(60 * textBytes + 8e6);
        expect(late.handles).toBeLessThanOrEqual(early.handles + 5);
        expect(late.marks).toBeLessThan(early.marks + 2 * answers);

        await nvim.command("silent! %bwipe!");
        const none = await look("the chat is wiped");
        for (let round = 0; round < chats; round += 1) {
          const other = join(dirname(nvim.chatPath), `chat-${round}.md`);
          writeFileSync(other, text);
          await nvim.command(`silent edit ${other}`);
          await nvim.ready();
          await nvim.input("G");
          await answer();
          await nvim.command("silent! bwipe!");
        }
        const after = await look(`${chats} chats came and went`);
        expect(after.heapUsed - none.heapUsed).toBeLessThan(6e6);
        expect(none.heapUsed).toBeLessThan(early.heapUsed + 6e6);
        expect(after.handles).toBeLessThanOrEqual(none.handles + 5);
        // What the system has lent must come back, too: 64 MB of a fresh host, the SDK, and room for what is young.
        expect(after.rss).toBeLessThan(early.rss + 30e6);
        expect(after.marks).toBe(0);
        expect(after.lua - none.lua).toBeLessThan(3e6);
      } finally {
        await nvim.cleanUp();
        await server.close();
      }
    });
  },
);
