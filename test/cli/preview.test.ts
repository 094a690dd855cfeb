import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processesWith } from "../support/processes.ts";
import { call, callLine, openPlace, question, script } from "./command-line.ts";

const chat = `💬: ${question}\n`;

describe("parley preview", () => {
  it("prints exactly the request that is sent to OpenAI", async () => {
    const place = openPlace(
      `---\nmodel: openai/gpt-5\ntools: mock\nsystem_prompt: Be brief.\n---\n${chat}`,
    );
    const ended = await place.parley(["preview", "chat.md"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const shown = JSON.parse(ended.stdout);
    expect(Object.keys(shown)).toEqual(["provider", "api", "model", "body", "step"]);
    expect(shown).toMatchObject({
      provider: "openai",
      api: "openai-responses",
      model: "gpt-5",
      step: "ask-model",
      body: {
        model: "gpt-5",
        stream: true,
        store: false,
        instructions: "Be brief.",
        input: [{ role: "user", content: question }],
        tools: [{ type: "function", name: "web_search" }],
      },
    });
  });

  it("prints exactly the request that is sent to Anthropic", async () => {
    const place = openPlace(`---\nmodel: openai/gpt-5\n---\n${chat}`);
    const model = "anthropic/claude-sonnet-5-5";
    const ended = await place.parley(["preview", "chat.md", "--model", model, "--tools", "mock"]);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      provider: "anthropic",
      api: "anthropic-messages",
      model: "claude-sonnet-5-5",
      body: { tools: [{ name: "web_search" }], messages: [{ role: "user" }] },
    });
    // Real models get the mock tool only if it is selected.
    const plain = await place.parley(["preview", "chat.md", "--model", model]);
    expect(JSON.parse(plain.stdout).body.tools).toBeUndefined();
  });

  it("contains placeholders for calls that wait for approval", async () => {
    const place = openPlace(
      `---\nmodel: openai/gpt-4.1\n---\n${chat}\n🤖:\n\n${callLine("call_1")}\n`,
    );
    const { step, body } = JSON.parse((await place.parley(["preview", "chat.md"])).stdout);
    expect(step).toBe("await-approval");
    expect(body.messages.at(-1)).toEqual({
      role: "tool",
      tool_call_id: "call_1",
      content: expect.stringContaining("not executed"),
    });
  });

  it("shows the request of a retry for a finished answer", async () => {
    const place = openPlace(`---\nmodel: openai/gpt-4.1\n---\n${chat}\n🤖:\n\nIt is so.\n\n💬: \n`);
    const { step, body } = JSON.parse((await place.parley(["preview", "chat.md"])).stdout);
    expect(step).toBe("open-question");
    expect(body.messages.at(-1)).toEqual({ role: "user", content: question });
  });

  it("is repeatable, sends and writes nothing, and leaves no child process", async () => {
    const place = openPlace(
      `---\nmodel: openai/gpt-5\ntools: mock\n---\n💬: ${question} @@./secret.txt@@ @@http://127.0.0.1:1/x@@\n`,
      { ownProgram: true, isTrusted: false },
    );
    place.write("secret.txt", "the secret");
    const text = place.read();
    const before = readdirSync(place.folder);
    // Nothing listens at this address, so a request would fail.
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
    const ended = await place.parley(["preview", "chat.md"], env);
    expect(ended.code).toBe(0);
    expect(ended.stdout).not.toContain("the secret");
    expect(ended.stderr).toBe(
      `parley: Not read in this preview, so shown as written:\n${join(realpathSync(place.folder), "secret.txt")} needs your approval when you respond\nhttp://127.0.0.1:1/x is read when you respond\n`,
    );
    expect(place.read()).toBe(text);
    expect(readdirSync(place.folder)).toEqual(before);
    expect(existsSync(join(place.folder, "home"))).toBe(false);
    expect(processesWith(place.folder)).toEqual([]);
    expect((await place.parley(["preview", "chat.md"], env)).stdout).toBe(ended.stdout);
  });

  it("reports why there is no request to show", async () => {
    const place = openPlace("no question\n\n🤖: only an answer\n");
    place.write("empty.md", "");
    const empty = await place.parley(["preview", "empty.md"]);
    expect(empty).toMatchObject({ code: 1, stdout: "" });
    expect(empty.stderr).toContain("There is no question in this transcript");
    const unknown = await place.parley(["preview", "chat.md", "--model", "nobody/x"]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain("There is no model “nobody/x”");
    expect(await place.parley(["preview"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("reports mistakes in the header and the configuration on stderr", async () => {
    const place = openPlace(`---\ntools: mock, nonsense\nmax_tokens: many\n---\n${chat}`);
    place.write(
      "elsewhere/other/parley/config.json",
      '{ "model": "openai/gpt-5", "max_tokenz": 1 }',
    );
    const env = { XDG_CONFIG_HOME: join(place.folder, "elsewhere"), NVIM_APPNAME: "other" };
    const ended = await place.parley(["preview", "chat.md"], env);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout).model).toBe("gpt-5");
    expect(ended.stderr).toMatch(/^parley: .*config\.json:1: max_tokenz: /m);
    expect(ended.stderr).toMatch(/^chat\.md:3:1: warning: .* \[unusable-header-value\]$/m);
    expect(ended.stderr).toContain('There is no tool or server "nonsense" here');
  });

  it("prints no API key", async () => {
    const place = openPlace(`---\nmodel: openai/gpt-5\n---\n${chat}`);
    const ended = await place.parley(["preview", "chat.md"], { OPENAI_API_KEY: "sk-very-secret" });
    expect(ended.stdout + ended.stderr).not.toContain("sk-very-secret");
  });

  it("shows the next request of a mock model with a script", async () => {
    const place = openPlace(`---\nmodel: mock/file:script.json\n---\n💬: go\n`);
    place.write("script.json", script({ text: "One.", calls: [call("call_1")] }, { text: "Two." }));
    await place.parley(["run", "chat.md", "--approve", "all", "--max-steps", "1"]);
    const { step, body } = JSON.parse((await place.parley(["preview", "chat.md"])).stdout);
    expect(step).toBe("ask-model");
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
    ]);
    const text = readFileSync(place.file, "utf8");
    expect(text).toMatch(/^🛠️: \[web_search\]\[call_1\]$/m);
  });
});
