/** What servers ask the user for, over a real connection. */
import { describe, expect, it } from "vitest";
import type { RunOptions } from "../../../src/conversation/ports.ts";
import { createClientFeatures } from "../../../src/mcp/asking/client-features.ts";
import type { Server } from "../../../src/mcp/server.ts";
import { asking, noFeatures, start } from "../../support/mcp-server.ts";
import { everythingServer } from "../../support/real-servers.ts";
import { type Answer, scriptedUser } from "../../support/scripted-user.ts";

/** The machine may be busy. */
const patience = { timeout: 10_000 };

const requestedSchema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
const form = { method: "elicitation/create", params: { message: "Where?", requestedSchema } };
const address = (url: string) => ({
  method: "elicitation/create",
  params: { mode: "url", message: "Sign in", elicitationId: "1", url },
});

function scene(answers: readonly Answer[] | null, configured = asking) {
  const notices: string[] = [];
  const one = scriptedUser(answers ?? []);
  const features = createClientFeatures({
    ...noFeatures,
    user: answers === null ? null : one,
    notify: (_level: string, message: string) => notices.push(message),
  });
  const { server } = start(configured, { features });
  return { server, one, notices };
}

const origin = { place: () => "line 7 of chat.md", spendModelCall: () => true };

async function ask(server: Server, args: object, options: Partial<RunOptions> = {}, tool = "ask") {
  const signal = new AbortController().signal;
  const how = { signal, progress: () => {}, origin, ...options };
  const output = await server.call(tool, { ...args }, how);
  return output.text.startsWith("{") ? JSON.parse(output.text) : output.text;
}

describe("a form of a server", () => {
  it("says who asks, for which call, and sends what was answered", async () => {
    const { server, one } = scene(["Answer", "Bern", "Send"]);
    const reports: string[] = [];
    const progress = (text: string) => reports.push(text);
    expect(await ask(server, form, { progress })).toEqual({
      action: "accept",
      content: { city: "Bern" },
    });
    expect(one.asked[0]).toEqual({
      prompt: "bad asks",
      details: "The MCP server bad asks, for the call ❓: ask (line 7 of chat.md).\n│ Where?",
      items: "Answer|Decline|Cancel",
    });
    expect(reports).toEqual(["waits for your answer to its server", ""]);
  });

  it("may write a value that can be left out as one that may be null", async () => {
    const { server, one } = scene([null]);
    const optional = (type: string, initial: unknown) => ({
      anyOf: [{ type }, { type: "null" }],
      default: initial,
      title: type,
    });
    const properties = {
      name: { type: "string" },
      city: optional("string", null),
      count: optional("integer", 3),
      street: { type: "string", default: null },
      house: { type: ["integer", "null"] },
    };
    const params = { message: "Where?", requestedSchema: { type: "object", properties } };
    await ask(server, { method: "elicitation/create", params });
    expect(one.asked[0]?.details).toMatch(/^# string; optional\ncity: $/m);
    expect(one.asked[0]?.details).toMatch(/^# integer; optional; whole number\ncount: 3$/m);
    expect(one.asked[0]?.details).toMatch(/^street: $/m);
    expect(one.asked[0]?.details).toMatch(/^# optional; whole number\nhouse: $/m);
  });

  it("is shown whatever else a server writes into it", async () => {
    const { server, one } = scene([null]);
    const properties = {
      id: { type: "string", format: "uuid", title: null, minLength: "2" },
      age: { type: "integer", default: "x", minimum: null },
      colour: { $ref: "#/$defs/Colour", default: "green" },
      size: { anyOf: [{ allOf: [{ $ref: "#/$defs/Size" }] }, { type: "null" }] },
      shape: { enum: ["round", "square"], description: 7 },
    };
    const $defs = {
      Colour: { type: "string", enum: ["red", "green"] },
      Size: { enum: ["s", "l"] },
    };
    const params = {
      _meta: null,
      message: null,
      requestedSchema: { properties, $defs, required: "id" },
    };
    await ask(server, { method: "elicitation/create", params });
    const [{ details } = { details: "" }] = one.asked;
    expect(details).toMatch(/^id: $/m);
    expect(details).toMatch(/^age: $/m);
    expect(details).toMatch(/one of: red, green.*\ncolour: green$/m);
    expect(details).toMatch(/one of: s, l.*\nsize: $/m);
    expect(details).toMatch(/one of: round, square.*\nshape: $/m);
  });

  it("is not shown any more after three that were left, until the next call", async () => {
    const { server, one, notices } = scene(["Decline", null, "Decline", "Decline"]);
    const forms = Array.from({ length: 6 }, () => form);
    expect(await ask(server, { requests: forms }, {}, "ask_all")).toEqual({
      answers: ["decline", "cancel", "decline", "decline", "decline", "decline"].map((action) => ({
        action,
      })),
    });
    expect(one.asked).toHaveLength(3);
    expect(notices.filter((notice) => /keeps asking/.test(notice))).toHaveLength(1);
    expect(await ask(server, form)).toEqual({ action: "decline" });
    expect(one.asked).toHaveLength(4);
  });

  it("that is not valid fills no screen with notices", async () => {
    const { server, notices } = scene([]);
    const bad = address("javascript:alert(1)");
    await ask(server, { requests: Array.from({ length: 6 }, () => bad) }, {}, "ask_all");
    expect(notices.filter((notice) => /got none/.test(notice))).toHaveLength(3);
  });

  it("with an address that nobody reads is not opened", async () => {
    const { server, one } = scene(["Open"]);
    expect(await ask(server, address(`https://example.test/${"a".repeat(9000)}`))).toMatchObject({
      message: expect.stringMatching(/The address is too long to review/),
    });
    expect(one.asked).toEqual([]);
  });

  it("is declined or cancelled", async () => {
    const { server } = scene(["Decline", null]);
    expect(await ask(server, form)).toEqual({ action: "decline" });
    expect(await ask(server, form)).toEqual({ action: "cancel" });
  });

  it("shows what cannot be seen, marks the server's lines and warns of secrets", async () => {
    const { server, one } = scene(["Decline"]);
    const properties = { apiKey: { type: "string", title: "Your \u202eyek" } };
    const message = "one\n1: Answer\u001b[2J";
    await ask(server, {
      ...form,
      params: { message, requestedSchema: { type: "object", properties } },
    });
    const [, ...lines] = (one.asked[0]?.details ?? "").split("\n");
    expect(lines.slice(0, 2)).toEqual(["│ one", "│ 1: Answer\\u{1b}[2J"]);
    expect(lines[2]).toMatch(/^It may be asking for a secret/);
  });

  it("without a user is declined, and says so", async () => {
    const { server, notices } = scene(null);
    expect(await ask(server, form)).toEqual({ action: "decline" });
    expect(notices).toEqual([
      "MCP server bad asked for input, which was declined because there is no user to ask here.",
    ]);
  });

  it.each([
    { type: "array", items: { type: "string", enum: [] } },
    { type: "array", items: { type: "string" } },
    { type: "object", properties: {} },
    { $ref: "#/nowhere" },
    true,
  ])("of a kind that cannot be asked is an error for the server, and is said: %j", async (it) => {
    const { server, notices } = scene([]);
    const params = { message: "?", requestedSchema: { type: "object", properties: { it } } };
    expect(await ask(server, { ...form, params })).toMatchObject({ code: -32602 });
    expect(notices.join()).toContain('field "it" has a type that Parley cannot ask for');
  });

  it("ends with its server", async () => {
    const { server, one } = scene(["Answer"]);
    const asked = ask(server, form);
    await expect.poll(() => one.open(), patience).toBe(1);
    await server.close();
    expect(await asked).toContain("The server was closed");
    expect(one.open()).toBe(0);
  });

  it("ends with the stop of its call", async () => {
    const { server, one, notices } = scene(["Answer"]);
    const stop = new AbortController();
    const asked = ask(server, form, { signal: stop.signal });
    await expect.poll(() => one.open(), patience).toBe(1);
    stop.abort();
    expect(await asked).toContain("Stopped before there was a result");
    await expect.poll(() => one.open(), patience).toBe(0);
    expect(notices).toEqual(["MCP server bad no longer waits for an answer; nothing was sent."]);
  });

  it("ends when its server does not wait any more", async () => {
    const { server, one, notices } = scene([]);
    expect(await ask(server, { ...form, timeout: 100 })).toMatchObject({ code: -32001 });
    await expect.poll(() => notices.join(), patience).toContain("no longer waits for an answer");
    expect(one.open()).toBe(0);
  });

  it("waits for the one before", async () => {
    const { server, one } = scene([]);
    const stop = new AbortController();
    const first = ask(server, form, { signal: stop.signal });
    await expect.poll(() => one.open(), patience).toBe(1);
    const other = new AbortController();
    const reports: string[] = [];
    const progress = (text: string) => reports.push(text);
    const second = ask(server, form, { signal: other.signal, progress });
    await expect.poll(() => reports, patience).toEqual(["waits for your answer to its server"]);
    expect(one.asked).toHaveLength(1);
    stop.abort();
    await first;
    await expect.poll(() => one.asked.length, patience).toBe(2);
    other.abort();
    await second;
    await expect.poll(() => one.open(), patience).toBe(0);
  });

  it("names every call that it may be for", async () => {
    const { server, one } = scene(["Decline"]);
    const stop = new AbortController();
    const waiting = ask(server, {}, { signal: stop.signal }, "wait");
    await ask(server, form);
    expect(one.asked[0]?.details).toContain(
      "for one of the calls that run: ❓: wait (line 7 of chat.md), ❓: ask (line 7 of chat.md).",
    );
    stop.abort();
    await waiting;
  });
});

describe("an address of a server", () => {
  it("is shown whole with its host, and opened after a yes", async () => {
    const { server, one } = scene(["Open", "Decline", null]);
    const url = "https://login.example.org/a?b=c#d";
    expect(await ask(server, address(url))).toEqual({ action: "accept" });
    expect(one.asked[0]?.prompt).toBe("bad asks to open an address at login.example.org");
    expect(one.asked[0]?.details.split("\n").slice(1)).toEqual([
      "│ Sign in",
      "It wants you to open this address:",
      `  ${url}`,
      "  host: login.example.org",
    ]);
    expect(one.opened).toEqual([url]);
    expect(await ask(server, address(url))).toEqual({ action: "decline" });
    expect(await ask(server, address(url))).toEqual({ action: "cancel" });
    expect(one.opened).toEqual([url]);
  });

  it("is written so that another host cannot look like it", async () => {
    const { server, one } = scene([null]);
    await ask(server, address("https://ex\u0430mple.org/\u202egpj"));
    expect(one.asked[0]?.details).toMatch(/ {2}https:\/\/xn--exmple-4nf\.org\/%E2%80%AEgpj/);
    expect(one.asked[0]?.details).toContain("(a name in other letters: look twice)");
  });

  for (const url of ["file:///etc/passwd", "javascript:alert(1)", "https://bank.org@evil.org/"]) {
    it(`is not opened when it is ${url}`, async () => {
      const { server, one, notices } = scene(["Open"]);
      expect(await ask(server, address(url))).toMatchObject({ code: -32602 });
      expect(one.asked).toEqual([]);
      expect(notices).toHaveLength(1);
    });
  }
});

describe("a call that needs an address first", () => {
  const needed = (...urls: readonly string[]) => ({
    elicitations: urls.map((url, index) => {
      return { mode: "url", message: "Sign in", elicitationId: `e${index}`, url };
    }),
  });

  it("asks for each, is not made again, and tells what came of it", async () => {
    const { server, one } = scene(["Open", "Open"]);
    const urls = ["https://one.example.org/", "https://two.example.org/"];
    const text = await ask(server, needed(...urls), {}, "addresses");
    expect(text).toMatch(/^The server did not make the call: .* It was opened there\./);
    expect(one.opened).toEqual(urls);
    expect(one.asked[0]?.details).toContain("for the call ❓: addresses (line 7 of chat.md).");
  });

  it("says where the server named none", async () => {
    const { server, one, notices } = scene([]);
    const elicitations = [{ mode: "url", message: "Sign in", elicitationId: "e" }];
    await ask(server, { elicitations }, {}, "addresses");
    expect(one.asked).toEqual([]);
    expect(notices.join()).toContain("The server named no address to open.");
  });

  it("ends at the first no", async () => {
    const { server, one } = scene(["Decline"]);
    const urls = ["https://one.example.org/", "https://two.example.org/"];
    const text = await ask(server, needed(...urls), {}, "addresses");
    expect(text).toMatch(/and did not open it\.$/);
    expect(one.opened).toEqual([]);
    expect(one.asked).toHaveLength(1);
  });

  it("is reported when it is done, once, and only if it was opened", async () => {
    const { server, notices } = scene(["Open"]);
    await ask(server, { id: "e0" }, {}, "complete");
    await ask(server, needed("https://one.example.org/"), {}, "addresses");
    await ask(server, { id: "e0" }, {}, "complete");
    await ask(server, { id: "e0" }, {}, "complete");
    expect(notices).toEqual(["MCP server bad says that what you opened in the browser is done."]);
  });
});

it("the reference server offers its tools that ask, and gets a whole form", async () => {
  const configured = { command: process.execPath, args: [everythingServer] };
  const filled = [
    ...["name: Ann", "check: yes", "firstLine: It was a dark night.", "email: ann@example.org"],
    ...["birthdate: 2000-02-29", "integer: 7", "number: ", "untitledSingleSelectEnum: Joey"],
    ...["titledSingleSelectEnum: Wonder Woman", "legacyTitledEnum: Birds"],
  ].join("\n");
  const wrong = filled.replace("integer: 7", "integer: 101");
  const { server, one } = scene([wrong, filled], configured);
  const { tools } = await server.tools(15_000);
  expect(tools.map(({ name }) => name)).toContain("trigger-elicitation-request");
  expect(tools.map(({ name }) => name)).toContain("trigger-url-elicitation");
  const text = await ask(server, {}, {}, "trigger-elicitation-request");
  expect(one.asked[1]?.items).toMatch(/^\d+: It must be 100 or less\.$/);
  expect(JSON.parse(String(text).split("Raw result: ")[1] ?? "")).toEqual({
    action: "accept",
    content: {
      name: "Ann",
      check: true,
      firstLine: "It was a dark night.",
      email: "ann@example.org",
      birthdate: "2000-02-29",
      integer: 7,
      untitledSingleSelectEnum: "Joey",
      untitledMultipleSelectEnum: ["Guitar"],
      titledSingleSelectEnum: "hero-3",
      titledMultipleSelectEnum: ["fish-1"],
      legacyTitledEnum: "pet-3",
    },
  });
});
