import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { forTerminal, inShell, jsonForTerminal, print } from "../../src/cli/terminal.ts";
import fc from "../support/property.ts";

it("forTerminal keeps line breaks and escapes control characters", () => {
  expect(forTerminal("a\n\u001b]0;title\u0007\u009b31m\u202eb")).toBe(
    "a\n\\u{1b}]0;title\\u{7}\\u{9b}31m\\u{202e}b",
  );
});

it("inShell replaces Neovim commands in a message by those for the shell", () => {
  expect(inShell("It broke off. Respond again to retry, or wait and respond again.")).toBe(
    "It broke off. Run it again to retry, or wait and run it again.",
  );
  expect(inShell("It needs a login: :Parley mcp login far")).toBe(
    "It needs a login: parley mcp login far",
  );
  expect(inShell("There is no MCP server x; :Parley mcp lists what there is.")).toBe(
    "There is no MCP server x; parley mcp check lists what there is.",
  );
  expect(inShell("It ended. It will not be started again before :Parley mcp restart a.b.")).toBe(
    "It ended. It will not be started again before another run.",
  );
  expect(inShell("In 8 s; :Parley mcp restart My own/one starts it at once. It ended.")).toBe(
    "In 8 s; another run starts it at once. It ended.",
  );
  expect(inShell("It broke off. Respond again to retry. :Parley log has more.")).toBe(
    "It broke off. Run it again to retry.",
  );
  expect(inShell("If that works, it is remembered for a month; :Parley log has its words.")).toBe(
    "If that works, it is remembered for a month.",
  );
  expect(inShell(":Parley preview shows it, :Parley previews does not")).toBe(
    "parley preview shows it, :Parley previews does not",
  );
});

it("inShell handles a long text with many partial matches quickly", () => {
  // In quadratic time, each would take a minute.
  for (const begin of [":Parley mcp restart x ", " :Parley log has x "]) {
    const text = begin.repeat(50_000);
    expect(inShell(text)).toBe(text);
  }
});

it("jsonForTerminal keeps the value and escapes control characters", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      const json = jsonForTerminal({ value, text: `${text}\u009b\u202e\u{e0041}` });
      expect(JSON.parse(json)).toEqual(
        JSON.parse(JSON.stringify({ value, text: `${text}\u009b\u202e\u{e0041}` })),
      );
      expect(json).not.toMatch(/[\u007f-\u009f\p{Cf}]/u);
    }),
  );
});

it("print escapes control characters on a terminal, and changes nothing when a program reads the output", () => {
  const text = "name\tof\u001b[31m\n  \u009b31m\u202ecode\n";
  const was = process.stdout.isTTY;
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => {
    process.stdout.isTTY = was;
    write.mockRestore();
  });
  for (const isTTY of [false, true]) {
    process.stdout.isTTY = isTTY;
    print(text);
  }
  expect(write.mock.calls).toEqual([[text], ["name\tof\\u{1b}[31m\n  \\u{9b}31m\\u{202e}code\n"]]);
});

it("only terminal.ts writes to stdout", () => {
  const folder = join(projectRoot, "src", "cli");
  const writers = readdirSync(folder).filter((file) =>
    /stdout\.write|console\./.test(readFileSync(join(folder, file), "utf8")),
  );
  expect(writers).toEqual(["terminal.ts"]);
});
