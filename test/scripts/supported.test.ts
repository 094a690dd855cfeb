import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("the Lua half has the version of package.json", () => {
  const lua = readFileSync(new URL("../../lua/parley/version.lua", import.meta.url), "utf8");
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  expect(/^return "(.+)"$/m.exec(lua)?.[1]).toBe(version);
});

it("package.json requires the Node version of scripts/supported.json", () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
  const { node } = read("../../scripts/supported.json");
  expect(`${read("../../package.json").engines.node}.0`).toBe(`>=${node}`);
});
