/**
 * Chats that no test moves with, and what the program made of each when that was last looked at. A change here is
 * a change for everybody's chats: look at each, then record it with `npm run oracle`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { observe } from "./observe.ts";

const folder = fileURLToPath(new URL("fixtures/", import.meta.url));
const files = readdirSync(folder);
const withEnding = (ending: string) =>
  files
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .toSorted();
const names = withEnding(".md");

describe("the oracle", () => {
  it.each(names)("%s", async (name) => {
    const path = `${folder}${name}.md`;
    const observed = await observe(readFileSync(path, "utf8"), path);
    const json = `${JSON.stringify(observed, null, 1)}\n`;
    await expect(json, "A change? After a look: npm run oracle").toMatchFileSnapshot(
      `${folder}${name}.json`,
    );
  });

  it("has a record for each chat and no others", () => {
    expect(names.length).toBeGreaterThanOrEqual(45);
    expect(withEnding(".json")).toEqual(names);
  });
});
