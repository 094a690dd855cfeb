import type { Tool, ToolHost, ToolOutput } from "../conversation/ports.ts";
import { unknownToolText } from "../conversation/results.ts";

/**
 * All tools as one host. Where two hosts offer the same name, the one that stands first in `hosts`
 * has it, and a notice says so. A call goes to the host whose tool was listed under its name last.
 */
export function combineToolHosts(hosts: readonly ToolHost[]): ToolHost {
  const hostOf = new Map<string, ToolHost>();

  return {
    async list(selection, model, how) {
      const lists = await Promise.all(hosts.map((host) => host.list(selection, model, how)));
      const tools = new Map<string, Tool>();
      const notices = lists.flatMap((list) => list.notices);
      for (const [index, list] of lists.entries()) {
        for (const tool of list.tools) {
          const first = tools.get(tool.name);
          if (first) {
            notices.push(clashNotice(first, tool));
            continue;
          }
          tools.set(tool.name, tool);
          const host = hosts[index];
          if (host) hostOf.set(tool.name, host);
        }
      }
      const instructions = lists.flatMap((list) => list.instructions ?? []);
      const unlisted = lists.flatMap((list) => list.unlisted ?? []);
      return { tools: [...tools.values()], notices, instructions, unlisted };
    },

    async run(call, options) {
      const host = hostOf.get(call.name);
      return host ? host.run(call, options) : unknownTool(call.name, [...hostOf.keys()]);
    },

    async subject(call) {
      return (await hostOf.get(call.name)?.subject?.(call)) ?? null;
    },

    async plan(call, world) {
      return (await hostOf.get(call.name)?.plan?.(call, world)) ?? null;
    },

    async close() {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

function clashNotice(first: Tool, second: Tool): string {
  return (
    `Two tools are named ${first.name}: the one of ${origin(first)} is offered, ` +
    `the one of ${origin(second)} is left out.`
  );
}

function origin({ server, group }: Tool): string {
  if (group !== undefined) return "Parley itself";
  return server === null ? "your tool files" : `the MCP server ${server}`;
}

function unknownTool(name: string, names: readonly string[]): ToolOutput {
  return { status: "error", text: unknownToolText(name, names), media: [] };
}
