/** The same built host, served by Neovim's own node host: registered, restarted, a whole turn through it. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { eventually } from "../support/eventually.ts";
import { type NeovimOptions, neovims, type TestNeovim } from "../support/neovim.ts";
import { childrenOf, running } from "../support/processes.ts";
import {
  chatText,
  decide,
  open,
  openAny,
  question,
  respond,
  settle,
  untilDone,
  untilWaiting,
} from "./wire-chat.ts";

const client = join(projectRoot, "node_modules/neovim/bin/cli.js");
const chat = { text: chatText("mock/demo", `💬: ${question}`) };

async function exists(nvim: TestNeovim, command: string): Promise<boolean> {
  return (await nvim.client.call("exists", [command])) === 2;
}

/** Options of a Neovim in which `:UpdateRemotePlugins` has been run, of a home of its own. */
async function registered(path: string): Promise<NeovimOptions & { readonly home: string }> {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const init = `vim.g.node_host_prog = ${JSON.stringify(client)}
vim.env.NVIM_RPLUGIN_MANIFEST = vim.env.HOME .. "/manifest.vim"`;
  const first = await openAny({ path, init, env: { PATH } });
  expect(await exists(first, ":ParleyStock")).toBe(false);
  await first.command("silent UpdateRemotePlugins");
  const manifest = await readFile(join(first.home, "manifest.vim"), "utf8");
  expect(manifest).toContain("'ParleyStock'");
  expect(manifest).not.toMatch(/'name': 'Parley'/);
  await first.quit();
  return { path, home: first.home, init, env: { PATH } };
}

async function wholeTurn(nvim: TestNeovim): Promise<void> {
  await respond(nvim);
  await untilWaiting(nvim);
  await decide(nvim, "ya");
  expect(await untilDone(nvim)).toContain("$544");
}

/** The process of Neovim's own node host; null when none runs. */
async function stockHost(nvim: TestNeovim): Promise<number | null> {
  const code = `local client = ...
    for _, chan in ipairs(vim.api.nvim_list_chans()) do
      if vim.list_contains(chan.argv or {}, client) then return vim.fn.jobpid(chan.id) end
    end`;
  return z
    .number()
    .nullable()
    .parse(await nvim.lua(code, client));
}

describe.each(neovims)("Neovim's own node host on Neovim $version", ({ path }) => {
  it("serves whole turns when it is chosen", async () => {
    const { init, ...options } = await registered(path);
    const nvim = await open({
      ...options,
      init: `${init}\nvim.g.parley_host = "rplugin"`,
      chat,
    });
    expect(await exists(nvim, ":Parley")).toBe(true);
    expect(await exists(nvim, ":ParleyStock")).toBe(true);
    await wholeTurn(nvim);
    await nvim.command("ParleyStock");
    await nvim.until("its word", async () => /served by Neovim/.test(await nvim.messages()));
    const host = await stockHost(nvim);
    if (host === null) throw new Error("The chat is served by another host.");
    // The tools' server, and the shell that ends it when the host is killed.
    const children = childrenOf(host);
    expect(children).toHaveLength(2);
    await nvim.kill();
    // Nobody but its connection tells it, and the tools' server lives as long as its host.
    const ended = () => expect(running([host, ...children])).toEqual([]);
    await eventually(ended);
  });

  it("is not started when it is not chosen, though it is registered", async () => {
    const nvim = await open({ ...(await registered(path)), chat });
    expect(await exists(nvim, ":ParleyStock")).toBe(true);
    await wholeTurn(nvim);
    await settle(nvim);
    expect(await stockHost(nvim)).toBeNull();
  });
});
