import { expect, it } from "vitest";
import { promptText } from "../../../src/app/references/prompt-text.ts";

it("a prompt that is larger than any text that is read is refused with a sentence", async () => {
  const content = { type: "text", text: "x".repeat(600 * 1024) };
  const place = { server: "odd", path: null, canRead: async () => false };
  await expect(promptText([{ role: "user", content }], place)).rejects.toThrow(
    /The prompt is larger than the 524.3 kB that a text may have, so nothing was written/,
  );
});
