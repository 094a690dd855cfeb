/** What the host asks Neovim for at its start: as little as there is. */
import { PassThrough } from "node:stream";
import { Transport } from "neovim/lib/utils/transport.js";
import { expect, it } from "vitest";
import { openClient } from "../../src/host/serve.ts";

/** The host's client, and a Neovim that answers each request so and tells this before it. */
function open(answer: (reply: Reply["send"]) => void) {
  const [toHost, toNeovim] = [new PassThrough(), new PassThrough()];
  const asked: unknown[] = [];
  const neovim = new Transport();
  neovim.attach(toHost, toNeovim, null);
  neovim.on("request", (method: string, parameters: unknown, reply: Reply) => {
    asked.push([method, parameters]);
    neovim.notify("parley", [{ action: "setup" }]);
    answer((result, isError) => reply.send(result, isError));
  });
  return { client: openClient(toHost, toNeovim), asked };
}

interface Reply {
  send(result: unknown, isError: boolean): void;
}

it("asks for its channel and for no description of Neovim, and then hears what was told before", async () => {
  const { client, asked } = open((reply) => reply({ id: 7, stream: "job", mode: "rpc" }, false));
  const heard: unknown[] = [];
  client.on("notification", (...told: unknown[]) => heard.push(told));
  expect(await client.channelId).toBe(7);
  expect(heard).toEqual([["parley", [{ action: "setup" }]]]);
  expect(asked).toEqual([["nvim_get_chan_info", [0]]]);
});

it("has no channel when Neovim gives none", async () => {
  const { client } = open((reply) => reply([0, "no such channel"], true));
  await expect(client.channelId).rejects.toThrow("channelId requested before");
});
