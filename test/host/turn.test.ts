/** The extended turn through real keys, in every supported Neovim, with the offline model. */
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type NeovimOptions, neovims, TestNeovim } from "../support/neovim.ts";

const question = "can you find the latest stock price of google and microsoft?";
const stocks = `---\ntopic: stocks\nmodel: mock/demo\n---\n\n💬: ${question}\n`;

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

async function open(options: NeovimOptions): Promise<TestNeovim> {
  editor = await TestNeovim.start(options);
  await editor.ready();
  return editor;
}

async function openWaiting(path: string): Promise<TestNeovim> {
  const nvim = await open({ path, chat: { text: stocks } });
  await nvim.input("G<C-g><C-g>");
  await nvim.untilText(/❓: `.*\n❓: `.*$/);
  await nvim.until("the approval keys", () => hasKey(nvim));
  return nvim;
}

async function hasKey(nvim: TestNeovim): Promise<boolean> {
  const found = await nvim.lua(
    "return vim.fn.maparg('y', 'n', false, true).buffer == 1 or vim.fn.maparg('ya', 'n') ~= '' or vim.fn.maparg('a', 'o') ~= ''",
  );
  return found === true;
}

const undecided = ["google", "microsoft"].map((name, index) => {
  const call = {
    id: `call_${index + 1}`,
    type: "function",
    function: { name: "web_search", arguments: JSON.stringify({ query: `${name} stock price` }) },
  };
  return JSON.stringify(call);
});

describe.each(neovims)("the extended turn in Neovim $version", ({ path }) => {
  it("proposes two calls and waits with the keys named", async () => {
    const nvim = await openWaiting(path);
    const text = await nvim.text();
    expect(text).toContain(`❓: \`${undecided[0]}\`\n❓: \`${undecided[1]}\``);
    expect(text).not.toContain("unfinished");
    expect(await nvim.virtualText()).toMatch(/ya all/);
    expect(await nvim.file()).toBe(`${text}\n`);
  });

  it("runs both calls on ya, continues in the same answer and opens the next question", async () => {
    const nvim = await openWaiting(path);
    await nvim.input("gg/^❓:<CR>ya");
    const text = await nvim.untilText(/\n💬: $/);
    expect(text.match(/^❓:\[ya\] `/gm)).toHaveLength(2);
    expect(text.match(/^🛠️: \[web_search\]\[call_[12]\]\n\n`\{"matches"/gm)).toHaveLength(2);
    expect(text.match(/^🤖:/gm)).toHaveLength(1);
    expect(text).toContain("$911");
    expect(text).toContain("$544");
    await nvim.until("the file", async () => (await nvim.file()) === `${text}\n`);
  });

  it("decides one call at a time with yo and yn and runs when none is open", async () => {
    const nvim = await openWaiting(path);
    await nvim.input("gg/^❓:<CR>yo");
    await nvim.untilText(/❓:\[yo\] `.*google/);
    expect(await nvim.text()).not.toContain("🛠️:");
    await nvim.input("gg/^❓: <CR>yn");
    await nvim.until(
      "the reason's prompt",
      async () => (await nvim.client.call("mode", [1])) === "c",
    );
    await nvim.input("not needed<CR>");
    const text = await nvim.untilText(/\n💬: $/);
    expect(text).toMatch(/❓:\[yn\] `.*microsoft/);
    expect(text).toMatch(/🛠️: \[web_search\]\[call_2\] \(declined\)\n\n.*not needed/);
    // A result that ended the chat when it was written is a row with its call all the same.
    const row = "return { vim.fn.search('^❓:.yn', 'nw'), vim.fn.search('not needed', 'nw') }";
    const [first, last] = z.tuple([z.number(), z.number()]).parse(await nvim.lua(row));
    await nvim.until("the row", async () => {
      const closed = await nvim.lua("return vim.fn.foldclosedend(...)", first);
      return z.number().parse(closed) >= last;
    });
  });

  it("takes a decision back when its reason is left with Esc", async () => {
    const nvim = await openWaiting(path);
    const before = await nvim.text();
    await nvim.input("gg/^❓:<CR>yn");
    await nvim.until(
      "the reason's prompt",
      async () => (await nvim.client.call("mode", [1])) === "c",
    );
    await nvim.input("<Esc>");
    await nvim.until("normal mode", async () => (await nvim.client.call("mode", [1])) === "n");
    await nvim.input("yo");
    const text = await nvim.untilText(/❓:\[yo\]/);
    expect(text.replace("❓:[yo]", "❓:")).toBe(before);
  });

  it("finds pending calls pending after a restart, and runs nothing without a key", async () => {
    const nvim = await openWaiting(path);
    const before = await nvim.text();
    await nvim.kill();
    const { home } = nvim;
    const again = await open({ path, home });
    await again.until("the approval keys", () => hasKey(again));
    expect(await again.text()).toBe(before);
    // Until then the key would open the list.
    await again.until("the tools", async () => /server mock/.test(await again.virtualText()));
    await again.input("gg/^❓:<CR>ya");
    await again.untilText(/\n💬: $/);
  });

  it("takes back the continuation, then each result, then the decision, one u each", async () => {
    const nvim = await openWaiting(path);
    const waiting = await nvim.text();
    await nvim.input("gg/^❓:<CR>ya");
    await nvim.untilText(/\n💬: $/);
    // Before its end is saved the turn still holds its place in the text.
    await nvim.until("the end", async () => /\n💬: *\n$/.test(await nvim.file()));
    const results = async () => (await nvim.text()).match(/^🛠️:/gm)?.length ?? 0;
    await nvim.input("u");
    await nvim.untilText(/unfinished open/);
    expect(await results()).toBe(2);
    await nvim.input("u");
    await nvim.until("one result", async () => (await results()) === 1);
    await nvim.input("u");
    await nvim.until("no result", async () => (await results()) === 0);
    expect((await nvim.text()).match(/^❓:\[ya\]/gm)).toHaveLength(2);
    await nvim.input("u");
    await nvim.until("no decision", async () => (await nvim.text()) === waiting);
  });
});
