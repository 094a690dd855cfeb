/** Sends Lua names to complete: servers, their resources and prompts. Lua keeps the last ones, so nothing blocks. */

import { askedModels, knownModels } from "../../app/models/ask-servers.ts";
import { modelNames } from "../../app/models/model-lines.ts";
import { modelOfferedAll } from "../../mcp/mcp-host.ts";
import { messageOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import { resourceReference } from "../../transcript/references.ts";
import type { OpenHost } from "../context.ts";

export async function sendServers(host: OpenHost): Promise<void> {
  await host.lua.call("completions", {
    completions: { servers: await host.app.now.mcp.catalogs.names() },
  });
}

/** Starts the server if it is one that may be used. */
export async function sendResources(host: OpenHost, server: string): Promise<void> {
  const names = await host.app.now.mcp.catalogs.names();
  if (!names.includes(server)) return;
  try {
    const { signal } = new AbortController();
    const { resources, templates } = await host.app.now.mcp.catalogs.resources(server, signal);
    const listed = resources.flatMap(({ uri, name, description }) => {
      const word = resourceReference(server, uri);
      return word === null ? [] : [{ word, about: visible(name || description) }];
    });
    const open = templates.flatMap(({ uriTemplate, name, description }) => {
      const word = visible(`@${server}:${uriTemplate}`);
      return [{ word, about: visible(`fill in { }: ${name || description}`) }];
    });
    await host.lua.call("completions", {
      completions: { server, resources: [...listed, ...open] },
    });
  } catch (error) {
    const reason = messageOf(error);
    host.notify("warn", `MCP server ${server}: ${reason}`);
  }
}

export async function sendPrompts(host: OpenHost): Promise<void> {
  const { signal } = new AbortController();
  const { prompts } = await host.app.now.mcp.catalogs.prompts(null, signal);
  const names = prompts.map(({ server, name }) => visible(`${server}:${name}`));
  await host.lua.call("completions", { completions: { prompts: names } });
}

/** Tools of servers as they were last listed; starts no server. */
export async function sendTools(host: OpenHost): Promise<void> {
  const { tools } = await host.app.now.mcp.list(null, modelOfferedAll, { asRemembered: true });
  const names = tools.map(({ server, serverTool, name }) =>
    visible(`${server}.${serverTool ?? name}`),
  );
  await host.lua.call("completions", { completions: { tools: names } });
}

/** Models that can be asked, as far as is known; sent again once their servers have listed their models. */
export async function sendModels({ app, lua }: OpenHost): Promise<void> {
  const known = modelNames(await knownModels(app.modelServers));
  await lua.call("completions", { completions: { models: known } });
  const all = modelNames(await askedModels(app.modelServers, { isWanted: false }));
  if (all.join() === known.join()) return;
  await lua.call("completions", { completions: { models: all } });
}
