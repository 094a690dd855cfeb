/** What Lua completes names of: servers, their resources and prompts. Lua keeps what came last, so nothing blocks. */

import type { App } from "../../app/app.ts";
import { askedModels, knownModels } from "../../app/models/ask-servers.ts";
import { modelNames } from "../../app/models/model-lines.ts";
import { messageOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import { resourceReference } from "../../transcript/references.ts";
import type { HostContext } from "../context.ts";

export async function tellServers(context: HostContext, app: App): Promise<void> {
  await context.lua.call("offers", { servers: await app.now.mcp.catalogs.names() });
}

/** Starts the server when it is one that may be used. */
export async function tellResources(context: HostContext, app: App, server: string): Promise<void> {
  const names = await app.now.mcp.catalogs.names();
  if (!names.includes(server)) return;
  try {
    const { signal } = new AbortController();
    const { resources, templates } = await app.now.mcp.catalogs.resources(server, signal);
    const listed = resources.flatMap(({ uri, name, description }) => {
      const word = resourceReference(server, uri);
      return word === null ? [] : [{ word, about: visible(name || description) }];
    });
    const open = templates.flatMap(({ uriTemplate, name, description }) => {
      const word = visible(`@${server}:${uriTemplate}`);
      return [{ word, about: visible(`fill in { }: ${name || description}`) }];
    });
    await context.lua.call("offers", { server, resources: [...listed, ...open] });
  } catch (error) {
    const reason = messageOf(error);
    context.notify("warn", `MCP server ${server}: ${reason}`);
  }
}

export async function tellPrompts(context: HostContext, app: App): Promise<void> {
  const { signal } = new AbortController();
  const { prompts } = await app.now.mcp.catalogs.prompts(null, signal);
  const names = prompts.map(({ server, name }) => visible(`${server}:${name}`));
  await context.lua.call("offers", { prompts: names });
}

/** Tools of servers as they were listed last; nothing is started for it. */
export async function tellTools(context: HostContext, app: App): Promise<void> {
  const { tools } = await app.now.mcp.list(null, "mock/demo", { asRemembered: true });
  const names = tools.map(({ server, serverTool, name }) =>
    visible(`${server}.${serverTool ?? name}`),
  );
  await context.lua.call("offers", { tools: names });
}

/** Those that can be asked, as far as is known; and again once their servers have said which they have. */
export async function tellModels(context: HostContext, app: App): Promise<void> {
  const known = modelNames(await knownModels(app.modelServers));
  await context.lua.call("offers", { models: known });
  const all = modelNames(await askedModels(app.modelServers, { isWanted: false }));
  if (all.join() !== known.join()) await context.lua.call("offers", { models: all });
}
