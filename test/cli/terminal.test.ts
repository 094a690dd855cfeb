import { expect, it } from "vitest";
import { forTerminal, inShell, jsonForTerminal } from "../../src/cli/terminal.ts";
import fc from "../support/property.ts";

it("a sentence keeps its lines and holds nothing that a terminal obeys", () => {
  expect(forTerminal("a\n\u001b]0;title\u0007\u009b31m\u202eb")).toBe(
    "a\n\\u{1b}]0;title\\u{7}\\u{9b}31m\\u{202e}b",
  );
});

it("a sentence for Neovim names what is typed in a shell", () => {
  expect(inShell("It broke off. Respond again to retry, or wait and respond again.")).toBe(
    "It broke off. Run it again to retry, or wait and run it again.",
  );
  expect(inShell("It wants a login: :Parley mcp login far")).toBe(
    "It wants a login: parley mcp login far",
  );
  expect(inShell(":Parley preview shows it, :Parley previews does not")).toBe(
    "parley preview shows it, :Parley previews does not",
  );
});

it("JSON reads as before, without what a terminal obeys", () => {
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
