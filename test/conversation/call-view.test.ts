import { describe, expect, test } from "vitest";
import { callView } from "../../src/conversation/call-view.ts";
import type { CallPlan, Tool } from "../../src/conversation/ports.ts";
import { reopenedText } from "../../src/conversation/waiting-text.ts";
import { given } from "../../src/shared/given.ts";
import { visible, visibleText } from "../../src/shared/visible.ts";
import type { CallBlock } from "../../src/transcript/transcript.ts";
import fc from "../support/property.ts";

const search: Tool = {
  name: "web_search",
  description: "Searches.",
  inputSchema: { type: "object" },
  server: "mock",
};

const nothing = { tool: null, plan: null };

function block(argumentsText: string, change: Partial<CallBlock> = {}): CallBlock {
  return {
    kind: "call",
    line: 4,
    lineText: "❓: `…`",
    call: { id: "call_1", name: "web_search", arguments: argumentsText },
    json: "{}",
    decision: null,
    notes: [],
    broken: null,
    result: null,
    source: "parley",
    end: 5,
    ...change,
  };
}

describe("callView", () => {
  test("shows the tool, its server and each argument without JSON escapes", () => {
    const view = callView(
      block('{"query":"say \\"hi\\"\\nC:\\\\dir","limit":5,"deep":{"b":[1,null],"a":true}}'),
      { tool: search, plan: null },
    );
    const entries = [
      '  query: say "hi"\\nC:\\dir',
      "  limit: 5",
      '  deep: {"a":true,"b":[1,null]}',
    ];
    expect(view).toEqual({
      row: 'web_search query: "say \\"hi\\"\\nC:\\\\dir", limit: 5, deep: {"a":true,"b":[1,null]} · server mock',
      whole: true,
      lines: entries,
      cut: false,
      full: ["web_search · server mock", ...entries],
    });
  });

  test("says before the server that an interrupted call may have run", () => {
    const reopened = reopenedText("interrupted");
    const view = callView(block('{"query":"x"}'), { tool: search, plan: null, reopened });
    expect(view.row).toBe("web_search query: x · interrupted, may have run · server mock");
    expect(view.full[0]).toBe("web_search · interrupted, may have run · server mock");
    expect(reopenedText("undecided")).toBeNull();
  });

  test("leaves out the name of a single required argument, and says nothing without arguments", () => {
    const tool = { ...search, inputSchema: { type: "object", required: ["query"] } };
    const row = (text: string) => callView(block(text), { tool, plan: null }).row;
    expect(row('{"query":"google stock price"}')).toBe(
      'web_search "google stock price" · server mock',
    );
    expect(row('{"path":"src/a.ts"}')).toBe("web_search path: src/a.ts · server mock");
    expect(row("{}")).toBe("web_search · server mock");
  });

  test("shows a change with its file and size in the row, and its diff below", () => {
    const plan = planOf(["  changes a.ts", "  line 1", "  +new", "  -old", "  -older"]);
    const view = callView(block('{"path":"a.ts","old_text":"x"}'), { tool: search, plan });
    expect(view.row).toBe("web_search a.ts +1 −2 · server mock");
    expect(view).toMatchObject({ whole: false, lines: plan.lines, cut: false });
  });

  test("shows the hints of a tool as its own claims", () => {
    const tool = { ...search, server: null, annotations: { readOnlyHint: true, title: "x" } };
    const row = (annotations: Tool["annotations"]) =>
      callView(block("{}"), { tool: { ...tool, ...given({ annotations }) }, plan: null }).row;
    expect(row({ readOnlyHint: true })).toBe("web_search · built in · says it only reads");
    expect(row({ destructiveHint: true })).toBe(
      "web_search · built in · says it may overwrite or delete",
    );
    expect(row({ openWorldHint: true })).toBe("web_search · built in");
  });

  test("shows a change of the definition since the call was shown, with the new text in the full list", () => {
    const tool = { ...search, description: "Deletes\n\u202eall." };
    const view = callView(block("{}"), { tool, plan: null, changeSinceShown: "description" });
    expect(view.cut).toBe(true);
    expect(view.row).toBe(
      "web_search · definition changed since this call was shown: description · server mock",
    );
    expect(view.full.slice(-3)).toEqual([
      "  its description now:",
      "    Deletes",
      "    \\u{202e}all.",
    ]);
  });

  test("shows that a tool is not offered, and the notes on the line", () => {
    expect(callView(block("{}", { notes: ["repaired"] }), nothing).row).toBe(
      "web_search · not offered in this chat · repaired",
    );
  });

  test("puts texts that look like another value in quotes", () => {
    const view = callView(block('{"a":"5","b":"","c":" x","d":"true","e":"{}","f":"five"}'), {
      tool: search,
      plan: null,
    });
    expect(view.lines).toEqual([
      '  a: "5"',
      '  b: ""',
      '  c: " x"',
      '  d: "true"',
      '  e: "{}"',
      "  f: five",
    ]);
  });

  test("shortens long values with their size, and shows them whole in the full list", () => {
    const long = "x".repeat(5000);
    const view = callView(block(JSON.stringify({ query: long })), { tool: search, plan: null });
    expect(view.cut).toBe(true);
    expect(view.lines[0]).toBe(`  query: ${"x".repeat(200)}… (5000 characters)`);
    expect(view.full[1]).toBe(`  query: ${long}`);
  });

  test("shortens a long list of arguments with the number left out", () => {
    const names = Array.from({ length: 15 }, (_, index) => [`a${index}`, index]);
    const view = callView(block(JSON.stringify(Object.fromEntries(names))), {
      tool: search,
      plan: null,
    });
    expect(view.cut).toBe(true);
    expect(view.lines).toHaveLength(10);
    expect(view.lines.at(-1)).toBe("  … 6 more arguments");
    expect(view.full).toHaveLength(16);
  });

  test("shows arguments that are not an object as they are", () => {
    expect(callView(block("[1"), { tool: search, plan: null }).lines[0]).toBe(
      "  arguments, not a JSON object: [1",
    );
  });

  test("shows only the reason of a broken call", () => {
    const broken = block("", { call: null, broken: "The JSON ends too early." });
    expect(callView(broken, nothing)).toEqual({
      row: "The JSON ends too early.",
      whole: true,
      lines: [],
      cut: false,
      full: ["The JSON ends too early."],
    });
  });

  test("makes invisible characters visible in names, tools and servers", () => {
    const view = callView(
      block('{"que\\u202ery":"a"}', {
        call: { id: "1", name: "a\u200bb", arguments: '{"que\\u202ery":"a\\u0000"}' },
      }),
      { tool: { ...search, server: "mo\u2066ck" }, plan: null },
    );
    expect(view.row).toBe("a\\u{200b}b que\\u{202e}ry: a\\u{0} · server mo\\u{2066}ck");
    expect(view.lines).toEqual(["  que\\u{202e}ry: a\\u{0}"]);
  });
});

describe("visible", () => {
  test.each([
    ["tab\tand\u001bescape", "tab\\u{9}and\\u{1b}escape"],
    ["bidi \u202e\u2066", "bidi \\u{202e}\\u{2066}"],
    ["zero\u200bwidth\ufeff", "zero\\u{200b}width\\u{feff}"],
    ["tag \u{e0041}", "tag \\u{e0041}"],
    ["line\u2028end", "line\\u{2028}end"],
    ["half \ud83d", "half \\u{d83d}"],
    ["filler \u3164", "filler \\u{3164}"],
    ["1\ufe0f", "1\\u{fe0f}"],
    ["❤️ naïve 日本", "❤️ naïve 日本"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("shows different texts differently, each on one line", () => {
    const anyText = fc.string({
      unit: fc.constantFrom("\\", "n", "u", "{", "}", "a", "\n", "\u200b", "2", "0", "b"),
      maxLength: 12,
    });
    const shown = new Map<string, string>();
    fc.assert(
      fc.property(anyText, (text) => {
        const line = visibleText(text);
        expect(line).not.toMatch(/[\n\u200b]/);
        expect(shown.get(line) ?? text).toBe(text);
        shown.set(line, text);
      }),
      { numRuns: 5000 },
    );
  });
});

function planOf(lines: readonly string[], about: Partial<CallPlan> = {}): CallPlan {
  return { lines, saysAll: true, hash: "h", refusal: null, changes: true, ...about };
}

test("callView shows why a call would be refused, and its arguments", () => {
  const plan = planOf([], { saysAll: false, refusal: "a\u202eb was not read." });
  const { lines, full } = callView(block('{"path":"x"}'), { tool: null, plan });
  expect(lines).toEqual(["  would be refused: a\\u{202e}b was not read.", "  path: x"]);
  expect(full.slice(1)).toEqual(lines);
});

test("callView shows default arguments, and shows nothing twice", () => {
  const reads = planOf(["  reads b.txt"], { saysAll: false, changes: false });
  const defaults = { first_line: 1 };
  const view = callView(block('{"path":"a"}'), { tool: null, plan: reads, defaults });
  expect(view.full.slice(1)).toEqual(["  reads b.txt", "  path: a", "  first_line (filled in): 1"]);
  const edits = callView(block('{"old_text":"a"}'), { tool: null, plan: planOf(["  -a"]) });
  expect(edits.full.slice(1)).toEqual(["  -a"]);
});

test("callView shows the file of the user's own tool", () => {
  const tool = { ...search, server: null, file: "/home/a/tools.mjs" };
  expect(callView(block("{}"), { tool, plan: null }).row).toBe(
    "web_search · your file /home/a/tools.mjs",
  );
});

test("callView shortens long lines of a plan, and shows them whole in the full list", () => {
  const line = `  +${"x".repeat(100_000)}`;
  const view = callView(block("{}"), { tool: null, plan: planOf(["  changes a.txt", line]) });
  expect(view.lines.at(-1)).toMatch(/^ {2}\+x{197}… \(100003 characters\)$/);
  expect(view.cut).toBe(true);
  expect(view.full).toContain(line);
});
