/** The words after `parley mcp`. */
export type McpCommand = { readonly name: "mcp"; readonly config: string | null } & (
  | { readonly action: "tools"; readonly server: string | null }
  | {
      readonly action: "call";
      readonly server: string;
      readonly tool: string;
      /** The arguments, as typed. */
      readonly json: string;
    }
  | { readonly action: "check" }
  | { readonly action: "login" | "logout"; readonly server: string }
);

/** A sentence when the words make no command. */
export function parseMcp(words: readonly string[], config: string | null): McpCommand | string {
  const [action, server, tool, json = "{}", ...more] = words;
  const common = { name: "mcp", config } as const;
  if (action === "check" && server === undefined) return { ...common, action };
  if (action === "tools" && tool === undefined) {
    return { ...common, action, server: server ?? null };
  }
  if (action === "call" && server !== undefined && tool !== undefined && more.length === 0) {
    return { ...common, action, server, tool, json };
  }
  if ((action === "login" || action === "logout") && server !== undefined && tool === undefined) {
    return { ...common, action, server };
  }
  return "mcp takes tools [SERVER], call SERVER TOOL JSON, check, login SERVER, or logout SERVER";
}
