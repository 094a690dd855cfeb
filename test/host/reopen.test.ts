/** Neovim killed in every state that a turn passes through: the file has it all, and nothing continues without a key. */
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { ModelServer, Turn } from "../support/model-server.ts";
import { itInTurn, neovims, type TestNeovim } from "../support/neovim.ts";
import { installPlugin, type OtherRoot } from "../support/plugin-root.ts";
import {
  chatText,
  decide,
  open,
  previewOf,
  question,
  respond,
  serve,
  settle,
  status,
  untilDone,
  untilWaiting,
  wires,
} from "./wire-chat.ts";

const tools = import.meta.resolve("../support/other-tools.mjs");
const quick = { id: "call_1", name: "web_search", arguments: '{"query":"quick"}' };
const slow = { id: "call_2", name: "web_search", arguments: '{"query":"slow"}' };
const hanging: Turn = { raw: [": wait\n\n"], ending: "hang" };

const openaiPiece = [
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Half an" } }] })}\n\n`,
];
const anthropicPiece = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half an" } },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

/** One wire for each Neovim: what differs between the wires is in wire.test.ts. */
const cases = neovims.map((neovim, index) => ({ ...neovim, ...wires[index % 2]! }));

interface Scene {
  readonly nvim: TestNeovim;
  readonly server: ModelServer;
  preview(): ReturnType<typeof previewOf>;
  /** What the tools were asked, in alphabetical order. */
  runs(): readonly string[];
  /** Kills Neovim, opens the file again, and sees that nothing continued without a key. */
  killAndReopen(): Promise<Scene>;
}

async function start(
  path: string,
  server: ModelServer,
  root: OtherRoot,
  text: string | null,
): Promise<Scene> {
  const nvim = await open({
    path,
    home: root.home,
    init: root.init,
    env: server.environment,
    ...(text === null ? {} : { chat: { text } }),
  });
  const file = join(root.folder, "runs");
  const runs = () =>
    existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").sort() : [];
  return {
    nvim,
    server,
    preview: () => previewOf(nvim, server, root.folder),
    runs,
    async killAndReopen() {
      await nvim.kill();
      const before = await nvim.file();
      const [requests, ran] = [server.requests.length, runs()];
      const again = await start(path, server, root, null);
      await settle(again.nvim);
      expect(`${await again.nvim.text()}\n`).toBe(before);
      expect(await again.nvim.file()).toBe(before);
      expect(server.requests).toHaveLength(requests);
      expect(runs()).toEqual(ran);
      return again;
    },
  };
}

async function begin(path: string, model: string, turns: readonly Turn[]) {
  const root = await installPlugin(tools);
  const server = await serve(turns);
  const scene = await start(path, server, root, chatText(model, `💬: ${question}`));
  return { root, scene };
}

describe.each(cases)(
  "a turn killed in Neovim $version with $model",
  ({ path, provider, model }) => {
    const it = itInTurn(path);
    it("at the question, in the stream, and waiting, is the same turn again", async () => {
      const first = { text: "I search.", calls: [quick, slow] };
      const { scene } = await begin(path, model, [hanging, first, { text: "Done." }]);

      const asked = await scene.killAndReopen();
      const { body, step } = await asked.preview();
      expect(step).toBe("ask-model");
      await respond(asked.nvim);
      await asked.nvim.untilText(/unfinished open/);
      await asked.nvim.until("the request", () => asked.server.requests.length === 1);
      expect(asked.server.requests[0]?.body).toEqual(body);

      const streaming = await asked.killAndReopen();
      expect((await streaming.preview()).body).toEqual(body);
      await respond(streaming.nvim);
      await untilWaiting(streaming.nvim);
      expect(streaming.server.requests[1]?.body).toEqual(body);

      const waiting = await streaming.killAndReopen();
      await untilWaiting(waiting.nvim);
      expect((await waiting.preview()).step).toBe("await-approval");
      await decide(waiting.nvim, "yN");
      await waiting.nvim.until("the reason's prompt", async () => {
        return (await waiting.nvim.client.call("mode", [1])) === "c";
      });
      await waiting.nvim.input("<CR>");
      await untilDone(waiting.nvim);
      expect(waiting.runs()).toEqual([]);
      expect(waiting.server.requests.map(({ violation }) => violation)).toEqual([null, null, null]);
    });

    it("partly decided, with a call running, and with one of two results, runs nothing twice", async () => {
      const first = { text: "I search.", calls: [quick, slow] };
      const { root, scene } = await begin(path, model, [first, { text: "Done." }]);
      await respond(scene.nvim);
      await untilWaiting(scene.nvim);
      await decide(scene.nvim, "yo");
      await scene.nvim.until("the file", async () =>
        (await scene.nvim.file()).includes("❓:[yo] "),
      );

      const partly = await scene.killAndReopen();
      await untilWaiting(partly.nvim, /^❓:\[yo\] .*\n❓: /m);
      expect(await status(partly.nvim)).toMatch(/1 call waits, 1 call was interrupted/);
      // Which of the two is seen in its row.
      const rows = await partly.nvim.virtualText();
      expect(rows).toMatch(/quick · interrupted, may have run/);
      expect(rows).not.toMatch(/slow · interrupted/);
      expect(partly.runs()).toEqual([]);
      // Until then a key that allows opens the list.
      await partly.nvim.until("the tools", async () =>
        /server mock/.test(await partly.nvim.virtualText()),
      );
      await decide(partly.nvim, "ya", "^❓");
      await partly.nvim.untilText(/^🛠️: \[web_search\]\[call_1\]$/m);
      await partly.nvim.until("both runs", () => partly.runs().length === 2);
      await partly.nvim.until("the file", async () => (await partly.nvim.file()).includes("🛠️:"));

      const running = await partly.killAndReopen();
      expect(running.runs()).toEqual(["quick", "slow"]);
      await untilWaiting(running.nvim, /^❓:\[ya\] .*slow/m);
      expect(await status(running.nvim)).toMatch(
        /^1 call was interrupted and may or may not have run/,
      );
      const preview = await running.preview();
      expect(preview.step).toBe("await-approval");
      expect(JSON.stringify(preview.body)).toContain("it is not known whether this ran");
      await writeFile(join(root.folder, "go"), "");
      await decide(running.nvim, "yo", "^❓.*slow");
      const text = await untilDone(running.nvim);
      expect(text).toMatch(/^❓:\[yo\] .*slow.*\n\n🛠️: \[web_search\]\[call_2\]\n\n`found slow`$/m);
      expect(running.runs()).toEqual(["quick", "slow", "slow"]);
      expect(running.server.requests).toHaveLength(2);
      expect(running.server.requests[1]?.violation).toBeNull();
    });

    it("says on a no that an interrupted call may have run, and goes on", async () => {
      const { scene } = await begin(path, model, [{ calls: [quick, slow] }, { text: "Done." }]);
      await respond(scene.nvim);
      await untilWaiting(scene.nvim);
      await decide(scene.nvim, "ya");
      await scene.nvim.until("a result in the file", async () => {
        return (await scene.nvim.file()).includes("🛠️:") && scene.runs().length === 2;
      });
      const again = await scene.killAndReopen();
      await untilWaiting(again.nvim, /^❓:\[ya\] .*slow/m);
      await decide(again.nvim, "yn", "^❓.*slow");
      await again.nvim.until("the reason's prompt", async () => {
        return (await again.nvim.client.call("mode", [1])) === "c";
      });
      await again.nvim.input("too long<CR>");
      const text = await untilDone(again.nvim);
      expect(text).toMatch(/^🛠️: \[web_search\]\[call_2\] \(cancelled\)$/m);
      expect(text).toMatch(/not known whether.*too long/s);
      expect(again.runs()).toEqual(["quick", "slow"]);
      expect(again.server.requests[1]?.violation).toBeNull();
    });

    it("in a stream that was written to the file, replaces what was said so far", async () => {
      const pieces = { openai: openaiPiece, anthropic: anthropicPiece }[provider];
      const { scene } = await begin(path, model, [
        { raw: pieces, ending: "hang" },
        { text: "The whole answer." },
      ]);
      const { body } = await scene.preview();
      await respond(scene.nvim);
      await scene.nvim.untilText(/^Half an$/m);
      await scene.nvim.command("write");
      const again = await scene.killAndReopen();
      expect(await again.nvim.text()).toMatch(/Half an\n<!-- parley:unfinished open -->$/);
      expect((await again.preview()).body).toEqual(body);
      await respond(again.nvim);
      const text = await untilDone(again.nvim);
      expect(text).toMatch(/^🤖:.*\n\nThe whole answer\.\n\n💬: $/m);
      expect(again.server.requests.map((request) => request.body)).toEqual([body, body]);
    });

    it("with all results and the continuation open, asks only when told, with the same request", async () => {
      const { scene } = await begin(path, model, [{ calls: [quick] }, hanging, { text: "Done." }]);
      await respond(scene.nvim);
      await untilWaiting(scene.nvim);
      await decide(scene.nvim, "yo");
      await scene.nvim.until("the second request", () => scene.server.requests.length === 2);
      const body = scene.server.requests[1]?.body;

      const again = await scene.killAndReopen();
      await again.nvim.until("the word about it", async () =>
        /broke off\. Press <C-g><C-g> to ask again/.test(await status(again.nvim)),
      );
      expect(await again.preview()).toMatchObject({ step: "ask-model", body });
      await again.nvim.command("Parley preview");
      await again.nvim.untilText(/"step": "ask-model"/);
      expect(JSON.parse(await again.nvim.text()).body).toEqual(body);
      await again.nvim.command("bdelete");
      await respond(again.nvim);
      const text = await untilDone(again.nvim);
      expect(text).toMatch(/`found quick`\n\n(<!-- parley:step .*-->\n)?Done\.\n\n💬: $/);
      expect(again.server.requests[2]?.body).toEqual(body);
      expect(again.runs()).toEqual(["quick"]);
    });
  },
);
