import { homedir } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { chatModel } from "../../src/app/configuration/default-model.ts";
import { parleyFolders } from "../../src/app/configuration/parley-folders.ts";
import {
  applicationSettings,
  cacheFolder,
  configFolder,
  homeFolder,
  standardPaths,
} from "../../src/system/standard-folders.ts";
import { defaults } from "../support/configuration.ts";

describe("the standard paths", () => {
  const home = "/home/ada";

  it("are Neovim's", () => {
    expect(standardPaths({ env: {}, platform: "linux", home })).toEqual({
      config: "/home/ada/.config/nvim",
      data: "/home/ada/.local/share/nvim",
      state: "/home/ada/.local/state/nvim",
      log: "/home/ada/.local/state/nvim",
    });
  });

  it("honour the variables", () => {
    const env = {
      XDG_CONFIG_HOME: "/c",
      XDG_DATA_HOME: "/d",
      XDG_STATE_HOME: "/s",
      NVIM_APPNAME: "mine/two",
    };
    expect(standardPaths({ env, platform: "darwin", home })).toEqual({
      config: "/c/mine/two",
      data: "/d/mine/two",
      state: "/s/mine/two",
      log: "/s/mine/two",
    });
    expect(standardPaths({ env: { XDG_CONFIG_HOME: "" }, platform: "linux", home }).config).toBe(
      "/home/ada/.config/nvim",
    );
  });

  it("are absolute where a variable is not", () => {
    const { state } = standardPaths({ env: { XDG_STATE_HOME: "s" }, home });
    expect(state).toBe(resolve("s", "nvim"));
  });

  it("of other programs are found where a variable is empty", () => {
    expect(configFolder({ env: { XDG_CONFIG_HOME: "" }, home })).toBe("/home/ada/.config");
    const env = { APPDATA: "", XDG_CONFIG_HOME: "" };
    expect(applicationSettings({ env, platform: "linux", home })).toBe("/home/ada/.config");
    expect(applicationSettings({ env, platform: "win32", home: "C:\\me" })).toBe(
      "C:\\me\\AppData\\Roaming",
    );
  });

  it("lie in the local application data on Windows", () => {
    const env = { LOCALAPPDATA: "C:\\L" };
    expect(standardPaths({ env, platform: "win32", home: "C:\\me" })).toEqual({
      config: "C:\\L\\nvim",
      data: "C:\\L\\nvim-data",
      state: "C:\\L\\nvim-data",
      log: "C:\\L\\nvim-data",
    });
  });

  it("have one for what can be made again", () => {
    const on = (platform: NodeJS.Platform, env: Record<string, string>) =>
      cacheFolder({ env, platform, home: platform === "win32" ? "C:\\me" : home });
    expect(on("linux", {})).toBe("/home/ada/.cache/nvim");
    expect(on("darwin", { XDG_CACHE_HOME: "/k", NVIM_APPNAME: "mine" })).toBe("/k/mine");
    expect(on("win32", { LOCALAPPDATA: "C:\\L" })).toBe("C:\\L\\Temp\\nvim-data");
    expect(on("win32", { TEMP: "D:\\T" })).toBe("D:\\T\\nvim-data");
  });

  it("have a part of Parley's own", () => {
    const paths = { config: "/c", data: "/d", state: "/s", log: "/l" };
    expect(parleyFolders(paths)).toEqual({
      config: "/c/parley",
      configurationFile: "/c/parley/config.json",
      chats: "/d/parley",
      state: "/s/parley",
      data: "/d/parley",
      log: "/l/parley",
    });
  });
});

describe("the model of a chat", () => {
  const model = (
    environment: Record<string, string>,
    providers: (typeof defaults)["providers"] = {},
  ) => {
    const configuration = { ...defaults, providers };
    const { provider, id } = chatModel({ model: null }, { configuration, environment });
    return `${provider}/${id}`;
  };

  it("is the chat's own", () => {
    const own = { provider: "openai", id: "x" };
    const sources = { configuration: defaults, environment: { ANTHROPIC_API_KEY: "k" } };
    expect(chatModel({ model: own }, sources)).toEqual(own);
  });

  it("goes by the keys that are there, Anthropic's first, and is offline without any", () => {
    expect(model({})).toBe("mock/demo");
    expect(model({ OPENAI_API_KEY: " " })).toBe("mock/demo");
    expect(model({ OPENAI_API_KEY: "k" })).toMatch(/^openai\/gpt-/);
    expect(model({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toMatch(/^anthropic\/claude-/);
    expect(model({}, { openai: { api_key: ["pass", "openai"] } })).toMatch(/^openai\/gpt-/);
  });
});

describe("the home folder", () => {
  const unknown = () => {
    throw new Error("uv_os_homedir returned ENOENT (no such file or directory)");
  };

  it("is the person's", () => {
    expect(homeFolder()).toBe(homedir());
  });

  it.each([
    ["of a user without a name and HOME", [unknown, unknown], "/nonexistent"],
    ["where HOME is empty", [() => "", () => "/root"], "/root"],
    [
      "where HOME is relative and the system has none either",
      [() => "me", () => ""],
      "/nonexistent",
    ],
  ])("is absolute %s", (_, places, expected) => {
    expect(homeFolder(places)).toBe(expected);
  });
});
