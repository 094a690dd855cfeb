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

describe("the standard folders", () => {
  const home = "/home/ada";

  it("are the same as Neovim's", () => {
    expect(standardPaths({ env: {}, platform: "linux", home })).toEqual({
      config: "/home/ada/.config/nvim",
      data: "/home/ada/.local/share/nvim",
      state: "/home/ada/.local/state/nvim",
      log: "/home/ada/.local/state/nvim",
    });
  });

  it("follow the XDG variables and NVIM_APPNAME", () => {
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

  it("are absolute even if a variable is relative", () => {
    const { state } = standardPaths({ env: { XDG_STATE_HOME: "s" }, home });
    expect(state).toBe(resolve("s", "nvim"));
  });

  it("of other programs have defaults for empty variables", () => {
    expect(configFolder({ env: { XDG_CONFIG_HOME: "" }, home })).toBe("/home/ada/.config");
    const env = { APPDATA: "", XDG_CONFIG_HOME: "" };
    expect(applicationSettings({ env, platform: "linux", home })).toBe("/home/ada/.config");
    expect(applicationSettings({ env, platform: "win32", home: "C:\\me" })).toBe(
      "C:\\me\\AppData\\Roaming",
    );
  });

  it("are in the local application data on Windows", () => {
    const env = { LOCALAPPDATA: "C:\\L" };
    expect(standardPaths({ env, platform: "win32", home: "C:\\me" })).toEqual({
      config: "C:\\L\\nvim",
      data: "C:\\L\\nvim-data",
      state: "C:\\L\\nvim-data",
      log: "C:\\L\\nvim-data",
    });
  });

  it("include a cache folder", () => {
    const on = (platform: NodeJS.Platform, env: Record<string, string>) =>
      cacheFolder({ env, platform, home: platform === "win32" ? "C:\\me" : home });
    expect(on("linux", {})).toBe("/home/ada/.cache/nvim");
    expect(on("darwin", { XDG_CACHE_HOME: "/k", NVIM_APPNAME: "mine" })).toBe("/k/mine");
    expect(on("win32", { LOCALAPPDATA: "C:\\L" })).toBe("C:\\L\\Temp\\nvim-data");
    expect(on("win32", { TEMP: "D:\\T" })).toBe("D:\\T\\nvim-data");
  });

  it("contain folders for Parley", () => {
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

describe("chatModel", () => {
  const model = (
    environment: Record<string, string>,
    providers: (typeof defaults)["providers"] = {},
  ) => {
    const configuration = { ...defaults, providers };
    const { provider, id } = chatModel({ model: null }, { configuration, environment });
    return `${provider}/${id}`;
  };

  it("returns the model that the chat sets", () => {
    const own = { provider: "openai", id: "x" };
    const sources = { configuration: defaults, environment: { ANTHROPIC_API_KEY: "k" } };
    expect(chatModel({ model: own }, sources)).toEqual(own);
  });

  it("chooses a vendor by the available keys, Anthropic first, and the offline model without a key", () => {
    expect(model({})).toBe("mock/demo");
    expect(model({ OPENAI_API_KEY: " " })).toBe("mock/demo");
    expect(model({ OPENAI_API_KEY: "k" })).toMatch(/^openai\/gpt-/);
    expect(model({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toMatch(/^anthropic\/claude-/);
    expect(model({}, { openai: { api_key: ["pass", "openai"] } })).toMatch(/^openai\/gpt-/);
  });
});

describe("homeFolder", () => {
  const unknown = () => {
    throw new Error("uv_os_homedir returned ENOENT (no such file or directory)");
  };

  it("returns the user's home folder", () => {
    expect(homeFolder()).toBe(homedir());
  });

  it.each([
    ["for a user without a name and HOME", [unknown, unknown], "/nonexistent"],
    ["when HOME is empty", [() => "", () => "/root"], "/root"],
    [
      "when HOME is relative and the system has no home folder",
      [() => "me", () => ""],
      "/nonexistent",
    ],
  ])("returns an absolute path %s", (_, places, expected) => {
    expect(homeFolder(places)).toBe(expected);
  });
});
