/**
 * What to write instead of an option of the Lua Parley, for users who bring their `setup()` along, or of an option that
 * other plugins and programs use for the same thing.
 */

import { isObject, ownValue } from "../../shared/json.ts";

/** By name of the option. */
const replacements: Readonly<Record<string, string>> = {
  api_keys: "write each vendor's key as providers.NAME.api_key, or set its variable",
  openai_api_key: "write providers.openai.api_key, or set OPENAI_API_KEY",
  google_drive: "there are no logins for documents; an MCP server can fetch them",
  oauth: "there are no logins for documents; an MCP server can fetch them",
  cliproxy: "Parley manages no proxy; point providers.NAME.base_url at a running one",
  cmd_prefix: "commands are subcommands of :Parley; make commands of your own for other names",
  curl_params: "Parley does not use curl; it takes a proxy from HTTPS_PROXY",
  log_file: ":Parley log opens the log",
  log_sensitive: "Parley logs no chat text and no key; :Parley preview shows a request",
  state_dir: 'Parley keeps its state in stdpath("state")/parley',
  web_search: 'write server_tools = { "web_search" }',
  default_agent: "write agent",
  chat_roots: "write chat_dirs",
  repo_marker: ":Parley attach makes a file in a repository a chat",
  repo_chat_dir: ":Parley attach makes a file in a repository a chat",
  export_html_dir: ":Parley export html takes a path",
  export_markdown_dir: ":Parley export markdown takes a path",
  tool_read_roots: "Parley asks before it leaves the working folder; rules can allow it",
  tool_result_page_lines: "write result_limit, in bytes",
  tool_result_max_bytes: "write result_limit",
  max_tool_iterations: "write max_model_calls",
  chat_template: "a new chat has only a header and a question",
  chat_topic_gen_prompt: "the topic comes from the 📝: line of the first answer, without a request",
  chat_topic_gen_model: "write topic_model; it is used only when the first answer has no 📝: line",
  chat_confirm_delete: "Parley always asks, and deleted chats go to the trash",
  chat_conceal_model_params: "the header is shown as it is",
  chat_spell: "set 'spell' in an autocommand for User ParleyAttach",
  chat_finder_pattern: ":Parley chats takes words to start with",
  chat_finder_mappings: "the keys of :Parley chats are its own, see :help parley-chats",
  chat_finder_recency: ":Parley chats lists all chats, the last written first",
  chat_free_cursor: "write follow = false to leave the cursor alone",
  chat_prompt_buf_type: "a chat is a plain Markdown file",
  chat_memory: "write max_full_exchanges; the format says how older exchanges are sent",
  memory_prefs: "Parley asks no model on its own; write system_prompt or rules_files",
  mark_reference_span: "a passage is quoted below its question, see :Parley quote",
  lualine: 'put require("parley").lualine() into a section of lualine',
  raw_mode: ":Parley preview shows a request before it is sent",
  hooks: "use User events and functions, see :help parley-events and :help parley-api",
  command_prompt_prefix_template: "there are no commands outside of chats; :Parley ask begins one",
  command_auto_select_response: "there are no commands outside of chats; :Parley ask begins one",
};

/** Options of other plugins and programs, by name. */
const elsewhere: Readonly<Record<string, string>> = {
  api_key: "write providers.NAME.api_key, or set the vendor's variable",
  base_url: "write providers.NAME.base_url",
  mcpServers: 'put these servers into stdpath("config")/parley/mcp.json, or into mcp.servers here',
  adapters: "write providers, see :help parley-models",
};

/** By the shortcut's name in the Lua Parley: the option for the same key here. */
const keyNames: Readonly<Record<string, string>> = {
  respond: "keys.respond",
  respond_all: "keys.respond_all",
  define: "keys.define",
  delete: "keys.delete",
  stop: "keys.stop",
  agent: "keys.agent",
  system_prompt: "keys.system_prompt",
  follow_cursor: "keys.follow",
  search: "keys.outline",
  open_file: "keys.follow_link",
  resolve_ref_gf: "keys.follow_link",
  prune: "keys.branch",
  export_html: "keys.export",
  copy_fence: "keys.copy",
  copy_code_block: "keys.copy",
  new: "global_keys.new",
  finder: "global_keys.chats",
  keybindings: "keys.help",
};

const isTaken = (name: string) => `write ${name}, or keys = { preset = { "parley.nvim" } }`;
const notTaken = "that is not part of this Parley, see doc/migrating-from-parley.nvim.md";

/** Other options, by the beginning or the end of their names. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^chat_.*_prefix$/, "the markers are part of the format, so that any machine reads any chat"],
  [
    /^(?:chat|global)_shortcut_/,
    `map a command of :Parley, see :help parley-commands; ${notTaken}`,
  ],
  [/^style_chat_finder_/, "the list of chats always fits its window"],
  [
    /^(?:notes?|issues?|vision|review|skills?|interview|history|markdown|super_repo|sdlc)(?:_|$)/,
    notTaken,
  ],
  [/^(?:repo_note_dir|src_root)$/, notTaken],
];

/** Options that both versions have, where the Lua Parley takes a table, and a text is meant for this one. */
const tables: Readonly<Record<string, string>> = {
  highlight: "set highlight groups, see :help parley-looks",
};

/** Options that both versions have, where the Lua Parley takes a list. */
const lists: Readonly<Record<string, string>> = {
  agents:
    'write a table by name: agents = { NAME = { model = "provider/id", system_prompt = "…" } }',
  system_prompts: 'write a table by name: system_prompts = { NAME = "…" }',
};

/** Keys below a vendor. */
const vendorKeys: Readonly<Record<string, string>> = {
  endpoint: "write base_url, without the path of one kind of request",
  secret: "write api_key",
  key: "write api_key",
  url: "write base_url, without the path of one kind of request",
  model: 'write model = "NAME/ID" beside providers',
  disable: "Parley skips a vendor without a key; leave it out",
};

/** Null: the option is unknown elsewhere too. `given` is its value as written. */
export function luaParleyReplacement(
  path: readonly (string | number)[],
  given: unknown,
): string | null {
  const [name = "", , key = ""] = path.map(String);
  if (path.length === 3) return name === "providers" ? (ownValue(vendorKeys, key) ?? null) : null;
  if (path.length !== 1) return null;
  const others = Array.isArray(given) ? lists : isObject(given) ? tables : {};
  const other = ownValue(others, name);
  if (other !== undefined) return other;
  const shortcut = /^(?:chat|global)_shortcut_(.*)$/.exec(name)?.[1];
  const taken = shortcut === undefined ? undefined : ownValue(keyNames, shortcut);
  if (taken !== undefined) return isTaken(taken);
  const known = ownValue(replacements, name) ?? ownValue(elsewhere, name);
  return known ?? families.find(([form]) => form.test(name))?.[1] ?? null;
}
