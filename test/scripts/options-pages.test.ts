/** The files generated from the table of options are up to date. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  configurationSchema,
  helpPage,
  luaOptions,
  luaOptionTypes,
} from "../../scripts/lib/options-pages.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { valuesSchema } from "../../src/app/configuration/check-values.ts";
import { checkSetup } from "../../src/app/configuration/config.ts";
import { configurationOptions, options } from "../../src/app/configuration/options.ts";
import { keyRows } from "../../src/conversation/keys.ts";

import { oneNeovim } from "../support/neovims.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const schema = configurationSchema(z, valuesSchema, options);
const help = read("doc/parley.txt");

describe("the output of npm run docs is current in", () => {
  it("doc/parley.txt", () => {
    expect(helpPage(help, schema, options, keyRows)).toBe(help);
  });

  it("doc/config.schema.json", () => {
    expect(JSON.parse(read("doc/config.schema.json"))).toEqual(schema);
  });

  it("lua/parley/config/options.lua", () => {
    expect(luaOptions(schema, options)).toBe(read("lua/parley/config/options.lua"));
    expect(luaOptionTypes(schema)).toBe(read("lua/parley/config/types.lua"));
  });

  it("lua/parley/config/options.lua, and a schema keyword that Lua cannot check is an error", () => {
    const lines = { type: "integer", maximum: 9 };
    const other = {
      ...schema,
      properties: { ...schema.properties, fold_results: { anyOf: [lines] } },
    };
    expect(() => luaOptions(other, options)).toThrow("does not judge maximum");
  });
});

describe("the pages about options", () => {
  it("have a tag, a type, a default and an example for each option", () => {
    for (const [name, row] of Object.entries(options)) {
      const from = help.indexOf(`*parley-option-${name}*`);
      expect([name, from > 0]).toEqual([name, true]);
      const entry = help.slice(from, help.indexOf("\n\n", from)).replaceAll(/\s+/g, " ");
      expect(entry).toContain("(default: ");
      expect(entry).toContain(`${name} = ${row.example}`.replaceAll(/\s+/g, " "));
    }
  });

  it("show a complete configuration that is valid and equals the defaults", () => {
    const [, block = ""] = /\*parley-defaults\*\n[^\n]*>lua\n(.*?)\n<\n/s.exec(help) ?? [];
    const [, table = ""] = /setup\((.*)\)\s*$/s.exec(block) ?? [];
    // An empty Lua table is a list or an object, whichever the option needs.
    const encode = `io.write(vim.json.encode(${table}))`;
    const said = execFileSync(
      oneNeovim[0]!.path,
      [...["--clean", "--headless", "-c", `lua load(vim.env.CODE)()`, "-c", "qa!"]],
      { env: { ...process.env, CODE: encode }, encoding: "utf8" },
    );
    const given = JSON.parse(said);
    const { values, mistakes } = checkSetup(given);
    expect(mistakes).toEqual([]);
    for (const [name, value] of Object.entries(values)) {
      const row = configurationOptions[name as keyof typeof configurationOptions];
      if (name === "keys")
        expect(given.keys).toEqual(
          Object.fromEntries(keyRows.map((key) => [key.name, key.key ?? false])),
        );
      else expect({ [name]: value }).toEqual({ [name]: row.default });
    }
    const named = Object.keys(configurationOptions).filter((name) => !/^chat_dirs?$/.test(name));
    expect(named.filter((name) => !new RegExp(`^\\s+(-- )?${name} = `, "m").test(table))).toEqual(
      [],
    );
  });

  it("change when a row of the table changes", () => {
    const [name] = Object.keys(configurationOptions);
    const changed = { ...options, [name ?? ""]: { ...options.model, help: "Another sentence." } };
    const other = configurationSchema(z, valuesSchema, changed);
    expect(helpPage(help, other, changed, keyRows)).not.toBe(help);
    expect(luaOptionTypes(other)).toContain("Another sentence.");
    expect(() => helpPage("no heading", schema, options, keyRows)).toThrow("lost the heading");
  });
});
