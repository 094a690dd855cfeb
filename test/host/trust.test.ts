/** Text records, keys grant: what is in a file runs nothing, and a key is for what was on screen. */
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../support/eventually.ts";
import type { ModelServer, Turn } from "../support/model-server.ts";
import { itInTurn, neovims, oneNeovim, type TestNeovim } from "../support/neovim.ts";
import {
  callJson,
  chatText,
  decide,
  google,
  microsoft,
  open,
  respond,
  searchFor,
  serve,
  settle,
  status,
  untilDone,
  untilListed,
} from "./wire-chat.ts";

const model = "anthropic/claude-sonnet-5";
const answer = ["💬: prices?", "", "🤖:[claude-sonnet-5]", "", "I search.", ""];
const apple = searchFor("apple", "call_3");
const broken = '❓: `{"id":"call_9","type":"function"';

interface Opened {
  readonly nvim: TestNeovim;
  readonly server: ModelServer;
}

async function openFile(
  path: string,
  body: readonly string[],
  turns: readonly Turn[] = [{ text: "Done." }],
): Promise<Opened> {
  const server = await serve(turns);
  const chat = { text: chatText(model, ...body) };
  return { server, nvim: await open({ path, chat, env: server.environment }) };
}

async function giveReason(nvim: TestNeovim, reason: string): Promise<void> {
  await nvim.until("the reason's prompt", async () => {
    return (await nvim.client.call("mode", [1])) === "c";
  });
  await nvim.input(`${reason}<CR>`);
}

const untilStatus = async (nvim: TestNeovim, words: RegExp) => {
  await nvim.until(`the words ${words}`, async () => words.test(await status(nvim)));
  await untilListed(nvim);
};

const untilMessage = (nvim: TestNeovim, words: RegExp) =>
  nvim.until(`the message ${words}`, async () => words.test(await nvim.messages()));

describe.each(neovims)("calls found in the text, in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("never run by their decision: opened, pasted, responded to, edited", async () => {
    const { nvim, server } = await openFile(path, [
      ...answer,
      `❓:[ya] \`${callJson(google)}\``,
      `❓:[yA] \`${callJson(microsoft)}\``,
      `❓:[auto] \`${callJson(apple)}\``,
    ]);
    await untilStatus(nvim, /^3 calls were interrupted and may or may not have run/);
    await respond(nvim);
    await untilMessage(nvim, /3 calls were interrupted and may or may not have run/);
    await nvim.input("ggyyGp");
    await nvim.client.call("setreg", [
      "a",
      `❓:[yo] \`${callJson(searchFor("amazon", "call_4"))}\`\n`,
    ]);
    await nvim.input('Gdd"ap');
    await untilStatus(nvim, /^4 calls were interrupted/);
    await respond(nvim);
    await settle(nvim);
    expect(await nvim.text()).not.toContain("🛠️:");
    expect(server.requests).toHaveLength(0);
  });

  it("wait for a key only in the last answer; in those above, the keys are plain", async () => {
    const body = [...answer, `❓: \`${callJson(google)}\``, "", "💬: next", "", "🤖:", "", "Yes."];
    const { nvim, server } = await openFile(path, body);
    await settle(nvim);
    await nvim.input("gg/^❓<CR>yo<Esc>");
    await nvim.command("Parley approve");
    await untilMessage(nvim, /No call waits for a decision in this chat/);
    expect(await status(nvim)).toBe("");
    expect(await nvim.text()).toContain(`❓: \`${callJson(google)}\``);
    expect(server.requests).toHaveLength(0);
  });

  it("are decided one by one where they were repaired", async () => {
    const { nvim, server } = await openFile(path, [
      ...answer,
      `❓: \`${callJson(google)}\` (repaired)`,
      `❓: \`${callJson(microsoft)}\` (salvaged)`,
      `❓: \`${callJson(apple)}\``,
    ]);
    await untilStatus(nvim, /^3 calls wait/);
    await nvim.until("the tool's server", async () =>
      /web_search .* · server mock/.test(await nvim.virtualText()),
    );
    await nvim.input("gg/^❓.*apple<CR>ya");
    await untilMessage(nvim, /2 calls were skipped/);
    expect(await nvim.text()).toMatch(/^❓:\[ya\] .*apple/m);
    await untilStatus(nvim, /^2 calls wait/);
    await decide(nvim, "yA", "^❓.*google");
    await untilMessage(nvim, /no other call is open/);
    await decide(nvim, "yo", "^❓.*google");
    await nvim.untilText(/^❓:\[yo\] .*google.* \(repaired\)$/m);
    await untilStatus(nvim, /^1 call waits/);
    await decide(nvim, "yn", "^❓.*microsoft");
    await giveReason(nvim, "");
    const text = await untilDone(nvim);
    expect(text.match(/^🛠️: .*$/gm)).toEqual([
      "🛠️: [web_search][call_1]",
      "🛠️: [web_search][call_2] (declined)",
      "🛠️: [web_search][call_3]",
    ]);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null]);
  });

  it("are passed over where they cannot be read, and become text by a no", async () => {
    const { nvim, server } = await openFile(path, [
      ...answer,
      broken,
      `❓: \`${callJson(google)}\``,
    ]);
    await untilStatus(nvim, /^1 call waits, 1 line cannot be read as a call/);
    await nvim.input("gg/^❓.*google<CR>ya");
    await untilMessage(nvim, /1 call was skipped/);
    await untilStatus(nvim, /^1 line cannot be read as a call/);
    expect(await nvim.text()).not.toContain("🛠️:");
    await decide(nvim, "yo", "^❓.*call_9");
    await untilMessage(nvim, /nothing was decided: repair the line, or decline it with yn/);
    await decide(nvim, "yn", "^❓.*call_9");
    await giveReason(nvim, "");
    const text = await untilDone(nvim);
    expect(text).toContain(`\\${broken}`);
    expect(text.match(/^🛠️: .*$/gm)).toEqual(["🛠️: [web_search][call_1]"]);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null]);
  });

  it("beside one that waits did not run, also after another program's change and :e!", async () => {
    const calls = [google, microsoft].map((call) => `❓: \`${callJson(call)}\``);
    const { nvim, server } = await openFile(path, [...answer, ...calls]);
    await untilStatus(nvim, /^2 calls wait/);
    await decide(nvim, "yo", "^❓.*google");
    await untilStatus(nvim, /^1 call waits/);
    // Saved a moment after it is shown; a save after the other program's change is a question.
    await nvim.until("the saved yes", async () => (await nvim.file()).includes("❓:[yo]"));
    await nvim.until(
      "the end of the save",
      async () => (await nvim.lua("return vim.bo.modified")) === false,
    );
    const changed = (await nvim.file()).replace("💬: prices?", "💬: prices\nof today?");
    await writeFile(nvim.chatPath, changed);
    await nvim.command("edit!");
    await untilStatus(nvim, /^2 calls wait: /);
    await decide(nvim, "yo", "^❓.*google");
    await untilStatus(nvim, /^1 call waits: /);
    await decide(nvim, "yo", "^❓.*microsoft");
    const text = await untilDone(nvim);
    expect(text.match(/^🛠️: .*$/gm)).toEqual(["🛠️: [web_search][call_1]", "🛠️: [web_search][call_2]"]);
    expect(server.requests.map(({ violation }) => violation)).toEqual([null]);
  });

  it("run with the JSON that a user edited before deciding", async () => {
    const { nvim, server } = await openFile(path, [...answer, `❓: \`${callJson(google)}\``]);
    await untilStatus(nvim, /^1 call waits/);
    await nvim.input("gg:%s/google stock/apple stock/<CR>");
    await nvim.until("the edited call", async () =>
      /"apple stock price"/.test(await nvim.virtualText()),
    );
    await decide(nvim, "yo");
    expect(await untilDone(nvim)).toContain("AAPL");
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"query":"apple stock price"');
  });
});

describe.each(oneNeovim)(
  "a host that was suspended and started again in Neovim $version",
  ({ path }) => {
    it("leaves the text and the open calls as they were", async () => {
      const calls = [google, microsoft].map((call) => `❓: \`${callJson(call)}\``);
      const { nvim, server } = await openFile(path, [...answer, ...calls]);
      await untilStatus(nvim, /^2 calls wait/);
      const before = await nvim.text();
      const pid = z
        .number()
        .parse(await nvim.lua("return vim.fn.jobpid(require('parley.host').channel())"));
      process.kill(pid, "SIGSTOP");
      await nvim.command("Parley restart");
      await nvim.until("the end of the old host", () => !isAlive(pid));
      await untilStatus(nvim, /^2 calls wait/);
      expect(await nvim.text()).toBe(before);
      await nvim.until("the tool's server", async () =>
        /web_search .* · server mock/.test(await nvim.virtualText()),
      );
      await decide(nvim, "ya");
      expect((await untilDone(nvim)).match(/^🛠️: .*$/gm)).toHaveLength(2);
      expect(server.requests.map(({ violation }) => violation)).toEqual([null]);
    });
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.each(neovims)("a key pressed in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it.each([
    ["the line was edited", "yo", "s/google/apple/"],
    ["another line of the list was edited", "ya", "+1s/microsoft/apple/"],
    ["another open call appeared", "ya", `t.`],
  ])("decides nothing when %s before it arrived", async (_, key, change) => {
    const calls = [google, microsoft].map((call) => `❓: \`${callJson(call)}\``);
    const { nvim, server } = await openFile(path, [...answer, ...calls]);
    await untilStatus(nvim, /^2 calls wait/);
    await nvim.input("gg/^❓: <CR>");
    await nvim.until("the cursor", async () => {
      return z
        .string()
        .parse(await nvim.client.call("getline", ["."]))
        .startsWith("❓");
    });
    await untilListed(nvim);
    // The key waits a moment for a text object; what was on screen was taken down before.
    await nvim.lua(
      `local collect = require("parley.keys.decide").collect
      require("parley.keys.decide").collect = function(...)
        local press = collect(...)
        vim.schedule(function() vim.cmd(${JSON.stringify(change)}) end)
        return press
      end`,
    );
    await nvim.input(key);
    await untilMessage(nvim, /changed since they were shown|no open call on this line/);
    await settle(nvim);
    const text = await nvim.text();
    expect(text).not.toMatch(/^❓:\[/m);
    expect(text).not.toContain("🛠️:");
    expect(server.requests).toHaveLength(0);
  });
});

const diagnostics = z.array(
  z.object({ lnum: z.number(), code: z.string(), severity: z.number(), message: z.string() }),
);

describe.each(neovims)("bad input in Neovim $version", ({ path }) => {
  it("is reported at its line; nothing is lost and nothing runs", async () => {
    const bad: readonly (readonly [string, string | null])[] = [
      ["---", null],
      ["topic: bad", null],
      [`model: ${model}`, null],
      ["max_full_exchanges: many", "unusable-header-value"],
      ["---", null],
      ["", null],
      ["💬: prices?", null],
      ["", null],
      ["🤖:", null],
      ["", null],
      ["❓: what is this", "look-alike"],
      ["", null],
      [broken, "broken-call"],
      [`❓:[maybe] \`${callJson(google)}\``, "unknown-decision"],
      [`❓:[ya] \`${callJson(google)}\``, "duplicate-call-id"],
      ["", null],
      ["🛠️: [web_search][call_77]", "orphan-result"],
      ["", null],
      ["`nobody asked`", null],
      ["", null],
      ["<!-- parley:unfinished perhaps -->", "malformed-comment"],
      ["", null],
      ["~~~", "marker-in-fence"],
      ["💬: quoted", null],
      ["~~~", "unclosed-fence"],
      ["left open", null],
    ];
    const server = await serve([]);
    const text = `${bad.map(([line]) => line).join("\n")}\n`;
    const nvim = await open({ path, chat: { text }, env: server.environment });
    await settle(nvim);
    const expected = bad.flatMap(([, code], line) => (code ? [`${line + 1} ${code}`] : []));
    const found = await eventually(async () => {
      const shown = diagnostics.parse(await nvim.lua("return vim.diagnostic.get(0)"));
      const told = shown.map(({ lnum, code }) => `${lnum + 1} ${code}`);
      expect(told.sort()).toEqual(expected.sort());
      return shown;
    });
    for (const { message } of found) expect(message).toMatch(/\.$/);
    await nvim.input("gg/maybe<CR><C-g><C-g>");
    await untilMessage(nvim, /2 calls wait|1 call waits, 1 call was interrupted/);
    expect(`${await nvim.text()}\n`).toBe(text);
    expect(await nvim.file()).toBe(text);
    expect(server.requests).toHaveLength(0);
  });
});
