/** The arguments after `parley mcp`. */

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
  | {
      readonly action: "add";
      readonly server: string;
      /** Empty for a server behind an address. */
      readonly command: readonly string[];
      readonly url: string | null;
      readonly env: Readonly<Record<string, string>>;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly action: "import"; readonly sources: readonly string[] }
);

export interface McpFlags {
  readonly config?: string | undefined;
  readonly url?: string | undefined;
  readonly env?: readonly string[] | undefined;
  readonly header?: readonly string[] | undefined;
}

/** Returns a sentence when the arguments make no command. */
export function parseMcp(words: readonly string[], options: McpFlags): McpCommand | string {
  const [action, server, tool, json = "{}", ...more] = words;
  const common = { name: "mcp", config: options.config ?? null } as const;
  if (action === "add") return parseAdd(words.slice(1), options);
  const extra = (["url", "env", "header"] as const).find((key) => options[key] !== undefined);
  if (extra !== undefined) return `mcp takes --${extra} only with add`;
  if (action === "import") return { ...common, action, sources: words.slice(1) };
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
  return "mcp takes tools [SERVER], call SERVER TOOL JSON, check, login SERVER, logout SERVER, add NAME, or import";
}

function parseAdd(
  [server, ...command]: readonly string[],
  { config, url, env = [], header = [] }: McpFlags,
): McpCommand | string {
  if (server === undefined) return "mcp add takes a NAME, and -- COMMAND or --url URL";
  if ((url === undefined) === (command.length === 0)) {
    return `mcp add ${server} takes either -- COMMAND or --url URL`;
  }
  const variables = pairs(env);
  const headers = pairs(header);
  if (variables === null) return "--env takes NAME=VALUE";
  if (headers === null) return "--header takes NAME=VALUE";
  if (url === undefined && header.length > 0) return "--header goes with --url";
  if (url !== undefined && env.length > 0) return "--env goes with a COMMAND";
  const common = { name: "mcp", config: config ?? null, action: "add" } as const;
  return { ...common, server, command, url: url ?? null, env: variables, headers };
}

/** Null when a text is not `NAME=VALUE`. */
function pairs(texts: readonly string[]): Readonly<Record<string, string>> | null {
  const found = texts.map((text) => /^([^=\s]+)=(.*)$/s.exec(text));
  if (found.some((match) => match === null)) return null;
  return Object.fromEntries(found.map((match) => [match?.[1] ?? "", match?.[2] ?? ""]));
}
