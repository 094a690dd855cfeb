/** Combines the tools of several hosts into those of one. */
import type { Tool, ToolCalls, ToolHost, ToolListing, ToolSource } from "../conversation/ports.ts";
import { failedOutput, unknownToolText } from "../conversation/results.ts";

/** A list together with what runs calls of its tools, whatever is listed later. */
export interface CombinedListing extends ToolListing {
  readonly calls: ToolCalls;
}

export interface CombinedTools extends ToolSource {
  list(...asked: Parameters<ToolSource["list"]>): Promise<CombinedListing>;
}

/**
 * Combines all tools into one source. Where two hosts offer the same name, the first in `hosts` provides the tool, and
 * a notice says so.
 */
export function combineToolHosts(hosts: readonly ToolHost[]): CombinedTools {
  return {
    async list(selection, model, how) {
      const lists = await Promise.all(
        hosts.map(async (host) => ({ host, list: await host.list(selection, model, how) })),
      );
      const tools = new Map<string, Tool>();
      const callsOf = new Map<string, ToolCalls>();
      const notices = lists.flatMap(({ list }) => list.notices);
      for (const { host, list } of lists) {
        for (const tool of list.tools) {
          const first = tools.get(tool.name);
          if (first) {
            notices.push(clashNotice(first, tool));
            continue;
          }
          tools.set(tool.name, tool);
          callsOf.set(tool.name, list.calls ?? host);
        }
      }
      return {
        tools: [...tools.values()],
        notices,
        instructions: lists.flatMap(({ list }) => list.instructions ?? []),
        unlisted: lists.flatMap(({ list }) => list.unlisted ?? []),
        isPassing: lists.some(({ list }) => list.isPassing === true),
        calls: callsByName(callsOf),
      };
    },

    async close() {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

function callsByName(callsOf: ReadonlyMap<string, ToolCalls>): ToolCalls {
  return {
    async run(call, options) {
      const calls = callsOf.get(call.name);
      if (calls) return calls.run(call, options);
      return failedOutput(unknownToolText(call.name, [...callsOf.keys()]));
    },
    subject: async (call) => (await callsOf.get(call.name)?.subject?.(call)) ?? null,
    plan: async (call, world) => (await callsOf.get(call.name)?.plan?.(call, world)) ?? null,
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
