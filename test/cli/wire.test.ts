import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer, type Turn } from "../support/model-server.ts";
import { openPlace, question } from "./command-line.ts";

const wires = [
  { provider: "openai", model: "openai/gpt-5" },
  { provider: "anthropic", model: "anthropic/claude-sonnet-5" },
] as const;

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function serve(turns: readonly Turn[]): Promise<ModelServer> {
  server = await startModelServer({ turns });
  return server;
}

const search = (id: string, query: string) => ({
  id,
  name: "web_search",
  arguments: JSON.stringify({ query }),
});
const twoRounds: readonly Turn[] = [
  {
    text: "Sure, I need to search the web.",
    calls: [search("call_1", "google stock price"), search("call_2", "microsoft stock price")],
  },
  { text: "One more.", calls: [search("call_3", "apple stock price")] },
  { text: "GOOGL is at $911." },
];

describe.each(wires)("requests to $provider", ({ model }) => {
  const chat = `---\nmodel: ${model}\n---\n\n💬: ${question}\n`;

  it("equal the preview before each of them, and extend the previous request", async () => {
    const { requests, environment } = await serve(twoRounds);
    const place = openPlace(chat);
    const shown: unknown[] = [];
    for (const expected of [5, 5, 0]) {
      const preview = await place.parley(["preview", "chat.md", "--tools", "mock"], environment);
      shown.push(JSON.parse(preview.stdout).body);
      const args = ["run", "chat.md", "--tools", "mock", "--approve", "all", "--max-steps", "1"];
      expect((await place.parley(args, environment)).code).toBe(expected);
    }
    expect(requests.map(({ violation }) => violation)).toEqual([null, null, null]);
    expect(requests.map(({ body }) => body)).toEqual(shown);
    const histories = requests.map(({ body }) => body.messages);
    expect(histories[1].slice(0, histories[0].length)).toEqual(histories[0]);
    expect(place.read()).toMatch(/^GOOGL is at \$911\.\n\n💬: \n$/m);

    const preview = await place.parley(["preview", "chat.md", "--tools", "mock"], environment);
    expect(JSON.parse(preview.stdout).body).toEqual(shown.at(-1));
  });

  it("do not load Node's own fetch", async () => {
    const { environment } = await serve([{ text: "GOOGL is at $911." }]);
    const place = openPlace(chat);
    const hook = place.write(
      "loaded.cjs",
      `process.on("exit", () => require("node:fs").writeFileSync("loaded", process.moduleLoadList.join("\\n")));`,
    );
    const env = { ...environment, NODE_OPTIONS: `--require=${hook}` };
    expect((await place.parley(["run", "chat.md"], env)).code).toBe(0);
    const loaded = place.read("loaded");
    expect(loaded).toContain("NativeModule https");
    // Loading the classes for headers and forms takes 10 MB and 35 ms.
    expect(loaded).not.toContain("undici");
    expect(loaded).not.toContain("http2");
    expect(loaded).not.toContain("internal/webstreams/readablestream");
  });

  it("finish a whole turn in one run", async () => {
    const { requests, environment } = await serve(twoRounds);
    const place = openPlace(chat.replace("\n---\n\n", "\ntools: mock\n---\n\n"));
    expect((await place.parley(["run", "chat.md"], environment)).code).toBe(3);
    const ended = await place.parley(["run", "chat.md", "--approve", "web_search"], environment);
    expect(ended.code).toBe(0);
    expect(requests).toHaveLength(3);
    expect(place.read().match(/^❓:\[auto\] .*\n\n🛠️: /gm)).toHaveLength(3);
    expect((await place.parley(["check", "chat.md"])).stdout).toBe("");
  });

  it.each([
    ["a rejected key", { status: 401, message: "invalid x-api-key" }],
    ["an overload", { status: 529, message: "Overloaded", headers: { "x-should-retry": "false" } }],
    [
      "a broken connection",
      { text: "Half of the answer is here", chunkSize: 4, cutAfterChunks: 3 },
    ],
  ])(
    "that end in %s leave the transcript intact, and the next run finishes it",
    async (_, failing) => {
      const { environment } = await serve([failing, { text: "Whole." }]);
      const place = openPlace(chat);
      const failed = await place.parley(["run", "chat.md"], environment);
      expect(failed.code).toBe(4);
      expect(failed.stderr).toMatch(/^parley: .+\.$/m);
      expect(failed.stderr).not.toContain("sk-");
      expect(place.read().startsWith(chat)).toBe(true);
      expect((await place.parley(["check", "chat.md"])).stdout).toBe("");
      expect((await place.parley(["run", "chat.md"], environment)).code).toBe(0);
      expect(place.read()).toMatch(/^Whole\.\n\n💬: \n$/m);
    },
  );
});
