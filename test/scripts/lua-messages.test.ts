/** What Lua tells the host is what the schemas of messages take. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { messageTypes } from "../../scripts/lib/message-types.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { luaMessage } from "../../src/host/protocol.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const schema = z.toJSONSchema(luaMessage, { io: "input" });

/** The names of a Lua table's own fields, from the text behind its `{`. */
function fieldsOf(text: string): readonly string[] {
  let depth = 0;
  let own = "";
  for (const character of text.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""')) {
    if ("{([".includes(character)) depth += 1;
    if ("})]".includes(character)) depth -= 1;
    if (depth < 0) break;
    if (depth === 0) own += character;
  }
  const code = own.replaceAll(/--[^\n]*/g, "").replaceAll(/\bfunction\b[\s\S]*?\bend\b/g, "");
  return [...code.matchAll(/(?:^|,)\s*([a-z_]+) = /g)].map(([, name = ""]) => name);
}

const files = readdirSync(join(projectRoot, "lua"), { recursive: true, encoding: "utf8" });
const sent = files
  .filter((path) => path.endsWith(".lua"))
  .flatMap((path) => {
    const text = read(join("lua", path));
    return [...text.matchAll(/\{\s*action = "(\w+)"/g)].map((match) => ({
      path,
      action: match[1] ?? "",
      fields: fieldsOf(text.slice(match.index + 1)),
    }));
  });

describe("the messages of Lua", () => {
  it("have their classes as the schemas are (npm run docs)", () => {
    expect(read("lua/parley/host/messages.lua")).toBe(messageTypes(schema));
  });

  it("are all sent, and no other is", () => {
    const known = luaMessage.options.flatMap(({ shape }) => [...shape.action.values]);
    expect([...new Set(sent.map(({ action }) => action))].sort()).toEqual([...known].sort());
  });

  it("have the fields of their schemas, and all that are required", () => {
    for (const { path, action, fields } of sent) {
      const option = luaMessage.options.find(({ shape }) =>
        shape.action.values.has(action as never),
      );
      const shape: Readonly<Record<string, z.ZodType>> = option?.shape ?? {};
      const unknown = fields.filter((name) => !Object.hasOwn(shape, name));
      const missing = Object.keys(shape).filter(
        (name) => !fields.includes(name) && !shape[name]?.safeParse(undefined).success,
      );
      expect({ path, action, unknown, missing }).toEqual({
        path,
        action,
        unknown: [],
        missing: [],
      });
    }
  });

  it("are read with fields that hold tables and functions", () => {
    const text =
      '{ action = "key", shown = map(function(call)\n return { line = 1 }\n end, x), tick = 2 }';
    expect(fieldsOf(text.slice(1))).toEqual(["action", "shown", "tick"]);
  });
});
