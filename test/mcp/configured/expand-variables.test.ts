// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of configurations look like this
import { describe, expect, it } from "vitest";
import {
  expandOAuth,
  expandText,
  readEnvFile,
  splitWords,
  type VariableSources,
} from "../../../src/mcp/configured/expand-variables.ts";
import { defaultOAuthSettings } from "../../support/configuration.ts";

const sources: VariableSources = {
  environment: { TOKEN: "t", EMPTY: "", NESTED: "${TOKEN}" },
  workspaceFolder: "/project",
  userHome: "/home/me",
  refusal: () => null,
  run: async (words) => words.join("|"),
  input: async (id) => `typed ${id}`,
};

describe("variables", () => {
  it.each([
    ["$TOKEN and $${", "t and $${"],
    ["pa$word, $MISSING and $EMPTY", "pa$word, $MISSING and $EMPTY"],
    ["${workspaceFolderBasename} in ${cwd}", "project in /project"],
    ["a${pathSeparator}b${/}c", "a/b/c"],
    ["a${TOKEN}b${env:TOKEN}", "atbt"],
    ["${MISSING:-fall back}", "fall back"],
    ["${EMPTY:-x}", "x"],
    ["${env:MISSING:-}", ""],
    ["${NESTED}", "${TOKEN}"],
    ["${workspaceFolder}/a ${userHome}", "/project/a /home/me"],
    ["${cmd:pass show 'my key'}", "pass|show|my key"],
    ["${input:id}", "typed id"],
  ])("puts values into %s", async (text, expected) => {
    expect(await expandText(text, sources)).toBe(expected);
  });

  it.each([
    ["${MISSING}", /^The variable MISSING is not set/],
    ["${EMPTY}", /^The variable EMPTY is not set/],
    ["${pid:1}", /is not a known variable/],
  ])("has no empty text in place of %s", async (text, expected) => {
    await expect(expandText(text, sources)).rejects.toThrow(expected);
  });

  it("refuses a variable of the environment in plain words", async () => {
    const refusal = (name: string) => (name === "TOKEN" ? "That is never sent." : null);
    for (const text of ["${TOKEN}", "${env:TOKEN}", "${TOKEN:-x}", "$TOKEN"]) {
      await expect(expandText(text, { ...sources, refusal })).rejects.toThrow("never sent");
    }
  });

  it("runs no command of a project", async () => {
    const project = { ...sources, run: null };
    await expect(expandText("${cmd:id}", project)).rejects.toThrow(/only from your own/);
  });

  it("fills what a login is made with", async () => {
    const settings = {
      ...defaultOAuthSettings,
      clientId: "${TOKEN}",
      clientSecret: "${cmd:get it}",
    };
    expect(await expandOAuth(settings, sources)).toEqual({
      ...settings,
      clientId: "t",
      clientSecret: "get|it",
    });
  });

  it.each([
    ["a  b", ["a", "b"]],
    ['"a b" c\\ d', ["a b", "c d"]],
    [`'a "b"' "say \\"hi\\""`, ['a "b"', 'say "hi"']],
    ["a$(id);`x`", ["a$(id);`x`"]],
    ['""', [""]],
  ])("splits %s into words without a shell", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });
});

describe("a file of variables", () => {
  it.each([
    ["A=b", "b"],
    ["  export A = b  # note", "b"],
    ["A=b#c", "b#c"],
    ["A=", ""],
    ['A=""', ""],
    ['A="x # y" # note', "x # y"],
    ["A='x\\ny' # it's", "x\\ny"],
    ['A="x\\ny"', "x\ny"],
    ['A="{\\"k\\": \\"v\\"}"', '{"k": "v"}'],
    ['A="C:\\dir\\"', "C:\\dir\\"],
    ['A="open', '"open'],
    ["\ufeffA=b\r\n", "b"],
    ["A=b\nA=c", "c"],
  ])("has %j as it is meant", (text, value) => {
    expect(readEnvFile(text)).toEqual({ A: value });
  });

  it("ignores what is not a variable", () => {
    expect(readEnvFile("# A=b\n1A=b\nA\n=b\n\nA-B=c")).toEqual({});
  });
});
