import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  checkSetup,
  mergeConfiguration,
  parseConfiguration,
  readConfigurationFile,
} from "../../../src/app/configuration/config.ts";
import { configurationOptions } from "../../../src/app/configuration/options.ts";
import { defaults } from "../../support/configuration.ts";
import fc from "../../support/property.ts";

const places = {
  home: "/home/ada",
  environment: {},
  chats: "/data/parley",
  config: "/config/parley",
};
const folders: string[] = [];

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "parley-config-")));
  folders.push(path);
  return path;
}

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true });
});

describe("config.json", () => {
  it.skipIf(process.platform === "win32")(
    "that is a pipe, a device or a folder is reported, and stops nothing",
    async () => {
      const pipe = join(folder(), "config.json");
      execFileSync("mkfifo", [pipe]);
      const device = join(folder(), "config.json");
      symlinkSync("/dev/zero", device);
      for (const [path, what] of [
        [pipe, "not a regular file"],
        [device, "not a regular file"],
        [folder(), "a folder"],
      ] as const) {
        const { values, mistakes } = await readConfigurationFile(path);
        expect(values).toEqual({});
        expect(mistakes).toEqual([`${path}: could not be read (It is ${what})`]);
      }
    },
  );

  it("may have comments and trailing commas", () => {
    const text = `\ufeff{
      // the model
      "model": "mock/demo", /* and */
      "providers": { "openai": { "api_key": ["pass", "openai"], }, },
    }`;
    expect(parseConfiguration("c.json", text)).toEqual({
      values: { model: "mock/demo", providers: { openai: { api_key: ["pass", "openai"] } } },
      mistakes: [],
      isBroken: false,
    });
  });

  it("contains agents, models and system prompts by name, and a mistake drops only one value", () => {
    const text = `{
  "agent": "coder",
  "agents": { "coder": { "model": "mock/demo", "label": "Coder",
    "temperature": "hot" } },
  "models": { "mock/demo": { "tool_protocol": "smiley", "model": "mock/demo" } },
  "system_prompts": { "brief": "Be brief." }
}`;
    const { values, mistakes } = parseConfiguration("c.json", text);
    expect(values).toEqual({
      agent: "coder",
      agents: { coder: { model: "mock/demo", label: "Coder" } },
      models: { "mock/demo": { tool_protocol: "smiley" } },
      system_prompts: { brief: "Be brief." },
    });
    expect(mistakes).toEqual([
      expect.stringMatching(/^c\.json:4: agents\.coder\.temperature: write a number/),
      expect.stringMatching(/^c\.json:5: models\.mock\/demo\.model: there is no such key/),
    ]);
  });

  it("contains prices, retries and the idle limit, and mistakes report the valid values", () => {
    const text = `{
  "max_retries": 11,
  "idle_timeout": 0.5,
  "prices": {
    "openai/x": { "input": 1.5, "output": 6, "cache_read": 0 },
    "openai/y": { "input": "cheap" } }
}`;
    const { values, mistakes } = parseConfiguration("c.json", text);
    expect(values).toEqual({
      idle_timeout: 0.5,
      prices: { "openai/x": { input: 1.5, output: 6, cache_read: 0 } },
    });
    expect(mistakes.join("\n")).toContain("c.json:2: max_retries: write a number from 0 to 10");
    expect(mistakes.join("\n")).toContain("write dollars per million tokens");
  });

  it("drops only the price that lacks several values", () => {
    const other = { input: 1, output: 2 };
    const { values, mistakes } = checkSetup({ prices: { "openai/x": {}, "openai/y": other } });
    expect(values).toEqual({ prices: { "openai/y": other } });
    expect(mistakes).toEqual([
      expect.stringContaining("prices.openai/x.input: write dollars"),
      expect.stringContaining("prices.openai/x.output: write dollars"),
    ]);
  });

  it("with any content gives valid values and readable messages", () => {
    const keys = [...Object.keys(configurationOptions), "servers", "input", "allow", "clipboard"];
    const key = fc.oneof(fc.constantFrom(...keys), fc.string());
    const given = fc.object({ key, maxDepth: 4 });
    fc.assert(
      fc.property(given, (value) => {
        const { values, mistakes } = checkSetup(value);
        // A null counts as missing, and unreadable rules allow nothing.
        expect(checkSetup(values)).toEqual({ values, mistakes: [] });
        expect(new Set(mistakes).size).toBe(mistakes.length);
        expect(mistakes.join("\n")).not.toMatch(/Invalid|expected|Too (small|big)/);
      }),
      {
        examples: [
          [{ image_commands: { clipboard: "" } }],
          [{ login_commands: { read: ["a"], write: ["a"] } }],
          [{ tools: "", model: "", chat_dirs: [""], tool_files: [1], server_tools: [""] }],
          [{ image_commands: { clipboard: [], capture: [""] }, keys: { stop: "" } }],
          [{ rules: { allow: [1, {}, { tool: 1 }, { tool: "a", arguments: { b: 1 } }] } }],
          [{ providers: { "a b": {}, a: { api_key: "", api: 1, compat: { max_tools: "x" } } } }],
          [{ providers: { a: { api_key: [], compat: { call_id_length: 1, tool_choices: [1] } } } }],
          [{ providers: { a: { base_url: 1, api_key: [""], compat: { parallel_field: "" } } } }],
          [{ fold_results: 0.5, agents: { a: 1 }, agent: "", models: { a: { top_p: 0 } } }],
        ],
      },
    );
  });

  it("drops a server with a mistake, and with a mistake in the rules nothing is allowed", () => {
    const text = `{
  "auto_approve": "files",
  "mcp": { "servers": {
    "good": {"command": "a"},
    "bad": {"command": "a", "args": "secret"} } },
  "rules": {
    "allow": ["files.read_*", {"tool": "files", "arguments": {"path": "/a/*"}}],
    "ask": ["-files"],
    "deny": [{"arguments": {}}] }
}`;
    const { values, mistakes } = parseConfiguration("c.json", text);
    expect(values).toEqual({
      auto_approve: "none",
      mcp: { servers: { good: { command: "a" } } },
      rules: { allow: [] },
    });
    expect(mistakes.map((mistake) => mistake.split(" ").slice(0, 2).join(" "))).toEqual([
      "c.json:5: mcp.servers.bad:",
      "c.json:8: rules.ask.0:",
      "c.json:9: rules.deny.0:",
    ]);
    expect(mistakes.join()).not.toContain("secret");
  });

  it("is empty when the file is missing", async () => {
    const path = join(folder(), "config.json");
    const nothing = { values: {}, mistakes: [], isBroken: false };
    expect(await readConfigurationFile(path)).toEqual(nothing);
    expect(parseConfiguration("c.json", " \n")).toEqual({ ...nothing, isBroken: true });
    expect(parseConfiguration("c.json", "{}")).toEqual(nothing);
  });

  it("that cannot be read is reported and leaves the defaults", async () => {
    const path = folder();
    const { values, mistakes, isBroken } = await readConfigurationFile(path);
    expect(values).toEqual({});
    expect(isBroken).toBe(true);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(path);
  });

  it("reports each mistake with its line and key, and uses the other values", async () => {
    const path = join(folder(), "config.json");
    writeFileSync(
      path,
      `{
  "model": "gpt",
  "max_model_calls": 7,
  "max_tokens": "many",
  "modell": "mock/demo",
  "providers": {
    "openai": {
      "api_key": ["pass", 3],
      "base_url": "http://127.0.0.1:1"
    },
    "bad name": {}
  },
  "chat_dirs": ["/a", 1],
  "auto_approve": "-files",
  "mcp": true
}`,
    );
    const { values, mistakes } = await readConfigurationFile(path);
    expect(values).toEqual({
      max_model_calls: 7,
      providers: { openai: { base_url: "http://127.0.0.1:1" } },
    });
    const heads = mistakes.map((text) => text.split(": ").slice(0, 2).join(": "));
    expect(heads.sort()).toEqual(
      [
        `${path}:2: model`,
        `${path}:4: max_tokens`,
        `${path}:5: modell`,
        `${path}:8: providers.openai.api_key`,
        `${path}:11: providers.bad name`,
        `${path}:13: chat_dirs`,
        `${path}:14: auto_approve`,
        `${path}:15: mcp`,
      ].sort(),
    );
  });

  it("with invalid syntax is used as far as it can be read", () => {
    const { values, mistakes } = parseConfiguration(
      "c.json",
      `{\n  "model": "mock/demo",\n  "max_tokens" 5\n}`,
    );
    expect(values).toMatchObject({ model: "mock/demo" });
    expect(mistakes[0]).toMatch(/^c\.json:3: not valid JSON here \(colon expected\)/);
  });

  it("suggests a similar key for a misspelt one, but no unrelated key", () => {
    const text = `{
  "modle": "mock/demo", "keys": { "responde": "x", "quite_other": "y" },
  "agents": { "a": { "temprature": 1 } }
}`;
    const { mistakes } = parseConfiguration("c.json", text);
    expect([...mistakes].sort()).toEqual([
      "c.json:2: keys.quite_other: there is no such key",
      "c.json:2: keys.responde: there is no such key; did you mean respond?",
      "c.json:2: modle: there is no such key; did you mean model?",
      "c.json:3: agents.a.temprature: there is no such key; did you mean temperature?",
    ]);
  });

  it("reports each invalid value in keys", () => {
    const text = `{ "keys": {
  "preset": ["one", "two"],
  "respond": 5, "stop": ["<F2>", ""],
  "retry": ["<F3>", "<F4>"], "help": false },
  "global_keys": { "preset": "one" }
}`;
    const { values, mistakes } = parseConfiguration("c.json", text);
    const key = "write a key such as <C-g>r, a list of keys, or false";
    expect(mistakes.map((mistake) => mistake.split(". It was")[0]).sort()).toEqual([
      "c.json:2: keys.preset: write a list of presets: one, parley.nvim",
      `c.json:3: keys.respond: ${key}`,
      `c.json:3: keys.stop.1: ${key}`,
      "c.json:5: global_keys.preset: there is no such key",
    ]);
    expect(values.keys).toEqual({ retry: ["<F3>", "<F4>"], help: false });
  });

  it("that is not an object is ignored and reported", () => {
    expect(parseConfiguration("c.json", "[1]")).toEqual({
      values: {},
      mistakes: [expect.stringMatching(/^c\.json:1: the configuration: write a table/)],
      isBroken: true,
    });
  });

  it("is never quoted with its values in a message", () => {
    const secret = "sk-very-secret";
    const { mistakes } = parseConfiguration(
      "c.json",
      `{ "providers": { "openai": { "api_key": { "x": "${secret}" }, "base_url": "${secret}" } } }`,
    );
    expect(mistakes).toHaveLength(2);
    expect(mistakes.join()).not.toContain(secret);
  });
});

describe("setup", () => {
  it("accepts the same keys, Lua's empty tables and the keys that only Lua uses", () => {
    const given = { providers: [], mcp: { mock: true }, keys: { respond: false }, fold_results: 3 };
    expect(checkSetup(given)).toEqual({
      values: { ...given, providers: {} },
      mistakes: [],
    });
    expect(checkSetup([])).toEqual({ values: {}, mistakes: [] });
    expect(checkSetup(undefined)).toEqual({ values: {}, mistakes: [] });
  });

  it("reports its mistakes", () => {
    const { mistakes } = checkSetup({ tool_timeout: 0 });
    expect(mistakes).toEqual([expect.stringMatching(/^setup: tool_timeout: write more than 0/)]);
    // A timer takes no larger value; it would end every call at once.
    const { mistakes: large } = checkSetup({ tool_timeout: 1e9 });
    expect(large).toEqual([expect.stringMatching(/^setup: tool_timeout: write 2147483 or less/)]);
  });
});

describe("mergeConfiguration", () => {
  it("has a default for everything", () => {
    expect(mergeConfiguration({}, {}, places)).toEqual({
      ...defaults,
      chat_dirs: ["/data/parley"],
    });
  });

  it("prefers each value of setup over that of the file", () => {
    const { values: file } = checkSetup({
      model: "mock/demo",
      max_tokens: 5,
      providers: { openai: { api_key: "a", base_url: "http://one" }, anthropic: { api_key: "b" } },
      chat_dirs: ["/one"],
    });
    const { values: setup } = checkSetup({
      model: "openai/gpt-5.5",
      providers: { openai: { api_key: "c" } },
      chat_dir: "~/chats",
    });
    expect(mergeConfiguration(file, setup, places)).toMatchObject({
      model: "openai/gpt-5.5",
      max_tokens: 5,
      providers: { openai: { api_key: "c", base_url: "http://one" }, anthropic: { api_key: "b" } },
      chat_dirs: ["/home/ada/chats"],
    });
  });

  it("accepts any vendor, and drops an API or a compat value that is invalid", () => {
    const { values, mistakes } = checkSetup({
      providers: {
        xai: { api_key: "a" },
        mine: { base_url: "http://127.0.0.1:1/v1", api: "openai-chat", compat: { vision: false } },
        half: {
          base_url: "http://127.0.0.1:2",
          api: "grpc",
          compat: { vision: "(", max_tools: 0 },
        },
        "no name": {},
      },
    });
    expect(values.providers).toEqual({
      xai: { api_key: "a" },
      mine: { base_url: "http://127.0.0.1:1/v1", api: "openai-chat", compat: { vision: false } },
      half: { base_url: "http://127.0.0.1:2", compat: {} },
    });
    expect(mistakes.map((mistake) => mistake.split(":")[1]?.trim()).sort()).toEqual([
      "providers.half.api",
      "providers.half.compat.max_tools",
      "providers.half.compat.vision",
      "providers.no name",
    ]);
  });

  it("expands the home folder and variables in paths, and resolves them from the configuration folder", () => {
    const { values } = checkSetup({
      chat_dirs: ["~/a", "$NOTES/b", "$" + "{NOTES}c", "$UNSET/d", "e"],
      tool_files: "t.mjs",
    });
    const merged = mergeConfiguration({}, values, { ...places, environment: { NOTES: "/notes" } });
    expect(merged.chat_dirs).toEqual([
      "/home/ada/a",
      "/notes/b",
      "/notesc",
      "/config/parley/$UNSET/d",
      "/config/parley/e",
    ]);
    expect(merged.tool_files).toEqual(["/config/parley/t.mjs"]);
  });

  it("combines the rules and servers of the file and of setup", () => {
    const file = {
      rules: { allow: ["a"], deny: ["b"] },
      mcp: { servers: { x: { command: "1" }, y: { command: "1" } } },
    };
    const setup = { rules: { deny: ["c"] }, mcp: { servers: { x: { command: "2" } } } };
    const { rules, mcp } = mergeConfiguration(file, setup, places);
    expect(rules).toEqual({ allow: ["a"], ask: [], deny: ["c", "b"] });
    expect(mcp.servers).toEqual({ x: { command: "2" }, y: { command: "1" } });
  });
});
