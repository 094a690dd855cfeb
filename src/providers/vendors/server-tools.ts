/**
 * Tools that the vendor runs itself (`server_tools`), without the user's approval: so they are off unless the user
 * names them. A tool that cannot be requested is left out, and the user is told. Pure.
 */

import type { ModelRequest } from "../../conversation/ports.ts";
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import { ownValue } from "../../shared/json.ts";
import { type ServerTool, serverToolName, type Vendor } from "./vendor.ts";

/** A tool as sent on the wire. */
export interface OfferedServerTool {
  readonly name: string;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ServerTools {
  /** Sorted by name, so that requests stay the same byte for byte. */
  readonly offered: readonly OfferedServerTool[];
  /** Sentences about tools that are not offered. */
  readonly notices: readonly string[];
}

export function serverToolsFor(
  { serverTools = [], tools }: Pick<ModelRequest, "serverTools" | "tools">,
  vendor: Vendor,
  api: WireApiName,
): ServerTools {
  const notices: string[] = [];
  const offered: OfferedServerTool[] = [];
  for (const name of [...new Set(serverTools.map(serverToolName))].sort()) {
    const row = ownValue(vendor.serverTools, name);
    const ids = serverTools.flatMap((word) =>
      word.startsWith(`${name}:`) ? [word.slice(name.length + 1)] : [],
    );
    const refusal = refuse(name, row, { vendor, api, tools, ids });
    if (refusal !== null) notices.push(refusal);
    else if (row !== undefined) offered.push(offer(name, row, ids));
  }
  return { offered, notices };
}

function offer(name: string, row: ServerTool, ids: readonly string[]): OfferedServerTool {
  const { type, parameters = {}, idsField } = row;
  const withIds = idsField === undefined ? parameters : { ...parameters, [idsField]: [...ids] };
  return { name, type, parameters: withIds };
}

function refuse(
  name: string,
  row: ServerTool | undefined,
  {
    vendor,
    api,
    tools,
    ids,
  }: { vendor: Vendor; api: WireApiName } & Pick<ModelRequest, "tools"> & {
      ids: readonly string[];
    },
): string | null {
  if (row === undefined) {
    const known = Object.keys(vendor.serverTools);
    const has = known.length === 0 ? "It has none" : `It has ${known.join(", ")}`;
    return `${vendor.label} runs no tool “${name}” itself, so that part of server_tools is left out. ${has}.`;
  }
  const { label } = vendor;
  if (row.api !== api) {
    return `${label} offers ${name} only through ${row.api}, but this chat uses ${api}, so it is left out. Leave providers.${vendor.id}.api out of the configuration to have it.`;
  }
  // Some are sent with only their type, which then acts as their name.
  const same = tools.find((tool) => tool.name === name || tool.name === row.type);
  if (same !== undefined) {
    const owner =
      same.server === null ? "one of your tools" : `a tool of the server ${same.server}`;
    return `${label}'s own ${name} is left out, because ${owner} has the same name${same.name === name ? "" : ` on the wire (${same.name})`}. Remove that one from tools: to use ${label}'s.`;
  }
  if (row.idsField !== undefined && ids.length === 0) {
    return `${label}'s ${name} is left out, because it does not know where to search: write server_tools: ${name}:ID, once for each ${row.idsField.replace(/_ids$/, "").replaceAll("_", " ")}.`;
  }
  return null;
}
