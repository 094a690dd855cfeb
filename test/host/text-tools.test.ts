/** Models without a tool API in a real Neovim: plain text comes over the wire, calls are in the buffer. */

import { describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { textToolProtocols } from "../../src/providers/text-tools/protocols.ts";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { openNextLiveChat } from "../support/live-chat.ts";
import type { RawTurn } from "../support/model-server.ts";
import { neovims, oneNeovim, type TestNeovim } from "../support/neovim.ts";
import fc from "../support/property.ts";
import {
  callJson,
  chatText,
  decide,
  extendEachOther,
  google,
  microsoft,
  open,
  previewOf,
  question,
  respond,
  serve,
  settle,
  status,
  untilDone,
  untilWaiting,
} from "./wire-chat.ts";

const protocols = [...textToolProtocols.values()];
const piece = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** An answer of plain text in pieces of any size, halves of characters among them. */
function plainText(text: string, seed: number): RawTurn {
  const sizes = fc.sample(fc.integer({ min: 1, max: 7 }), { numRuns: text.length, seed });
  const raw: string[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at < text.length) raw.push(piece({ content: text.slice(at, at + size) }));
    at += size;
  }
  return { raw: [...raw, piece({}, "stop"), "data: [DONE]\n\n"] };
}

function rendered(id: string, ...calls: readonly (typeof google)[]): string {
  const protocol = textToolProtocols.get(id);
  return calls.map((call) => protocol?.renderCall(call)).join("\n");
}

function withProtocol(id: string, model = "openai/gpt-5"): string {
  return chatText(model, `💬: ${question}`).replace("tools:", `tool_protocol: ${id}\ntools:`);
}

const delimiters = "😊|TOOL_CALL|tool_call>|```";

/** Every line with a delimiter that stood in the buffer, if only for a moment. */
async function watchDelimiters(nvim: TestNeovim): Promise<() => Promise<unknown>> {
  await nvim.lua(`Shown = {}
    local words = vim.split("${delimiters}", "|", { plain = true })
    vim.api.nvim_buf_attach(0, false, { on_lines = function(_, buffer, _, first, _, last)
      for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, first, last, false)) do
        for _, word in ipairs(words) do
          if line:find(word, 1, true) then table.insert(Shown, line) end
        end
      end
    end })`);
  return () => nvim.lua("return #Shown == 0 and 'none' or table.concat(Shown, '\\n')");
}

/** What the user chooses next, in the header. */
async function choose(nvim: TestNeovim, protocol: string, model = "openai/gpt-5"): Promise<void> {
  await nvim.lua(
    "local protocol, model = ... vim.cmd('%s/^tool_protocol: .*/tool_protocol: ' .. protocol .. '/') vim.cmd('%s#^model: .*#model: ' .. model .. '#')",
    protocol,
    model,
  );
}

describe.each(oneNeovim)("a turn with a text model in Neovim $version", ({ path }) => {
  it("is the turn that every model has in each protocol, and no delimiter is ever shown", async () => {
    const server = await serve(
      protocols.flatMap(({ id }, index) => [
        plainText(`Sure, I search the web.\n\n${rendered(id, google, microsoft)}\n`, 2 * index),
        plainText(`GOOGL is at $911, by ${id}.`, 2 * index + 1),
      ]),
    );
    const nvim = await open({
      path,
      chat: { text: withProtocol("smiley") },
      env: server.environment,
    });
    const shown = await watchDelimiters(nvim);
    for (const [index, protocol] of protocols.entries()) {
      await choose(nvim, protocol.id);
      if (index > 0) await nvim.input("GAand now?<Esc>");
      await respond(nvim);
      const waiting = await untilWaiting(nvim);
      const [first, second] = [google, microsoft].map((call, at) =>
        callJson({ ...call, id: `call_${2 * index + at + 1}` }),
      );
      expect(waiting).toContain(
        `\n\n🤖:[gpt-5]\n\nSure, I search the web.\n\n❓: \`${first}\`\n❓: \`${second}\``,
      );
      await decide(nvim, "ya");
      const text = await untilDone(nvim, `by ${protocol.id}\\.`);
      expect(text.match(/^🛠️: \[web_search\]\[call_\d\]$/gm)).toHaveLength(2 * index + 2);
      expect(parseTranscript(text).problems).toEqual([]);

      const [begun, continued] = server.requests.slice(-2).map(({ body }) => body);
      expect(begun.tools).toBeUndefined();
      expect(begun.messages[0].content).toContain("- Name: web_search");
      expect(continued.messages.slice(0, begun.messages.length)).toEqual(begun.messages);
      const [said, results] = continued.messages.slice(-2);
      expect(said.content).toBe(
        `Sure, I search the web.\n\n${protocol.renderCall(google)}\n\n${protocol.renderCall(microsoft)}`,
      );
      expect(results).toMatchObject({ role: "user", content: expect.stringMatching(/911/) });
    }
    expect(await shown()).toBe("none");
    // The watch does see what is there only for a moment.
    await nvim.lua("vim.fn.append(0, '```') vim.fn.deletebufline('', 1)");
    expect(await shown()).toBe("```");
    expect(server.requests.map(({ violation }) => violation)).toEqual(Array(8).fill(null));
  });
});

describe.each(oneNeovim)("calls written as text in Neovim $version", ({ path }) => {
  const chat = {
    text: `---\ntopic: live\nmodel: openai/live\ntools: mock\ntool_protocol: smiley\n---\n\n💬: what is new?\n`,
  };
  const call = (query: string) =>
    rendered("smiley", { ...google, arguments: JSON.stringify({ query }) });

  it("let the text before them through at once, and keep what a user types meanwhile", async () => {
    const { nvim, respond: ask, reply, ended } = await openNextLiveChat({ path, chat });
    const answer = await ask();
    answer.say("Let me", " see.\n\n", call("say:hello").slice(0, 40));
    await nvim.untilText(/\n\nLet me see\.\n<!-- parley:unfinished open -->$/);
    await nvim.input("gg/what is<CR>A today<Esc>");
    answer.say(call("say:hello").slice(40), "\n");
    answer.end();
    expect(await ended()).toBe("ParleyWaiting");
    const waiting = await nvim.text();
    expect(waiting).toMatch(/^💬: what is new\? today\n\n🤖:\[live\]\n\nLet me see\.\n\n❓: `/m);
    expect(waiting).not.toContain("😊");
    await nvim.input("gg/^❓:<CR>ya");
    const next = await reply();
    expect(JSON.stringify(next.messages.at(-1))).toContain("hello");
    next.say("Hello it is.");
    next.end();
    await nvim.untilText(/\n\n`hello`\n\nHello it is\.\n\n💬: $/);
  });

  it("are not offered when they are stopped in the middle, and respond asks again", async () => {
    const { nvim, respond: ask, reply, ended, runs } = await openNextLiveChat({ path, chat });
    const answer = await ask();
    answer.say("Let me see.\n", call("say:one"), "\n", call("say:two").slice(0, 60));
    await nvim.untilText(/Let me see\.\n<!-- parley:unfinished open -->$/);
    await nvim.input("<C-g>x");
    await ended();
    const stopped = await nvim.text();
    expect(stopped).toMatch(/🤖:\[live\]\n\nLet me see\.\n<!-- parley:unfinished stopped -->$/);
    expect(await nvim.file()).toBe(`${stopped}\n`);
    await nvim.input("<C-g><C-g>");
    const again = await reply();
    again.say("Never mind.");
    again.end();
    await nvim.untilText(/🤖:\[live\]\n\nNever mind\.\n\n💬: $/);
    expect(runs()).toEqual([]);
  });

  it("that were mended say so, keep it over reopening, and are decided on their own line", async () => {
    const S = "😊".repeat(14);
    const mended = `${S}\n{"name":"web_search","arguments":{"query":"google",}}\n${S}`;
    const server = await serve([plainText(mended, 9), plainText("Found.", 10)]);
    const init = `vim.opt.runtimepath:prepend(${JSON.stringify(projectRoot)})
      require("parley").setup({ auto_approve = "*" })`;
    const env = server.environment;
    const before = await open({ path, init, chat: { text: withProtocol("smiley") }, env });
    await respond(before);
    const waiting = await untilWaiting(before, /^❓: `.*` \(repaired\)$/m);
    await before.until("the file", async () => (await before.file()) === `${waiting}\n`);
    await before.kill();

    const nvim = await open({ path, init, home: before.home, env });
    await nvim.until("the question about the call", async () =>
      / repaired/.test(await nvim.virtualText()),
    );
    await decide(nvim, "ya");
    await nvim.until("the refusal", async () => /skip lines/.test(await nvim.messages()));
    expect(await nvim.text()).toBe(waiting);
    expect(server.requests).toHaveLength(1);
    await decide(nvim, "yo");
    const text = await untilDone(nvim, "Found\\.");
    expect(text).toMatch(/^❓:\[yo\] `.*` \(repaired\)$/m);
  });

  it("that cannot be read are told to the model, three times in a turn", async () => {
    const bad = `${"😊".repeat(14)}\n{"name":"web_search","arguments":{"query":"C:\\Users"}}\n${"😊".repeat(14)}`;
    const server = await serve((index) => plainText(index < 4 ? bad : "I give up.", index));
    const nvim = await open({
      path,
      chat: { text: withProtocol("smiley") },
      env: server.environment,
    });
    await respond(nvim);
    await nvim.until("the limit", async () =>
      /None of the calls in the last 4 answers/.test(await status(nvim)),
    );
    const text = await nvim.text();
    expect(text.match(/^🛠️: \[invalid_tool_call\]\[call_\d\] \(error\)$/gm)).toHaveLength(4);
    expect(text).toContain("a backslash in it escapes nothing");
    expect(server.requests).toHaveLength(4);
    expect(parseTranscript(text).problems).toEqual([]);
    await respond(nvim);
    await untilDone(nvim, "I give up\\.");
    expect(extendEachOther(server)).toBe(true);
  });
});

describe.each(neovims.slice(-1))("one transcript in Neovim $version", ({ path }) => {
  it("goes from native to smiley to json and back", async () => {
    const asked = (name: string, id: string) => ({
      id,
      name: "web_search",
      arguments: JSON.stringify({ query: `${name} stock price` }),
    });
    const server = await serve([
      { calls: [google] },
      { text: "Google: $911." },
      plainText(`I look.\n${rendered("smiley", asked("apple", ""))}`, 1),
      plainText("Apple: $1.", 2),
      plainText(`I look.\n${rendered("json", asked("amazon", ""))}`, 3),
      plainText("Amazon: $2.", 4),
      { calls: [asked("nvidia", "toolu_9")] },
      { text: "Nvidia: $3." },
    ]);
    const nvim = await open({
      path,
      chat: { text: withProtocol("auto") },
      env: server.environment,
    });
    const turns = [
      ["auto", "openai/gpt-5", "Google: \\$911\\."],
      ["smiley", "openai/gpt-5", "Apple: \\$1\\."],
      ["json", "openai/gpt-5", "Amazon: \\$2\\."],
      ["auto", "anthropic/claude-sonnet-5", "Nvidia: \\$3\\."],
    ] as const;
    for (const [index, [protocol, model, end]] of turns.entries()) {
      await choose(nvim, protocol, model);
      if (index > 0) await nvim.input("GAand another?<Esc>");
      await respond(nvim);
      await untilWaiting(nvim);
      if (protocol === "json") {
        const { body } = await previewOf(nvim, server, `${projectRoot}/dist`);
        expect(body.messages[0].content).toContain("code fence with the language json");
        expect(JSON.stringify(body.messages.at(-1))).toContain("not executed");
      }
      await decide(nvim, "ya");
      await untilDone(nvim, end);
      await settle(nvim);
    }
    const text = await nvim.text();
    expect(text.match(/^❓:\[ya\] /gm)).toHaveLength(4);
    expect(text).not.toMatch(new RegExp(delimiters));
    expect(server.requests.map(({ violation }) => violation)).toEqual(Array(8).fill(null));
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies.map(({ tools }) => tools !== undefined)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    // Each rebuilds all calls above in its own words.
    const count = (index: number, pattern: RegExp) =>
      JSON.stringify(bodies[index].messages.slice(1)).match(pattern)?.length ?? 0;
    expect(count(3, /😊{14}\\n\{/gu)).toBe(2);
    expect(count(5, /```json\\n\{/g)).toBe(3);
    expect(count(7, /"type":"tool_use"/g)).toBe(4);
    expect(count(7, /"type":"tool_result"/g)).toBe(4);
    expect(count(7, /😊|```json/g)).toBe(0);
  });
});
