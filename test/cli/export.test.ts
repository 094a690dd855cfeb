/** `parley export` prints a page or writes it to a new file. */
import { expect, it } from "vitest";
import { openPlace } from "./command-line.ts";

it("parley export prints HTML or Markdown, writes a new file, and does not replace an existing one", async () => {
  const { parley, read, write } = openPlace("💬: how much?\n\n🤖:[x]\n\n**$911**\n");
  const html = await parley(["export", "chat.md"]);
  expect(html).toMatchObject({ code: 0, stderr: "" });
  expect(html.stdout).toContain("<strong>$911</strong>");
  const markdown = await parley(["export", "chat.md", "--format", "markdown", "--output", "o.md"]);
  expect(markdown).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(read("o.md")).toContain("**Question**\n\nhow much?");
  write("o.md", "mine");
  const again = await parley(["export", "chat.md", "--output", "o.md"]);
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toContain("o.md already exists, so nothing was written.");
  expect(read("o.md")).toBe("mine");
  const gone = await parley(["export", "gone.md"]);
  expect(gone).toMatchObject({ code: 1, stdout: "" });
  expect(gone.stderr).toContain("gone.md could not be read");
});
