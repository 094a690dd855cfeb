/** Each option in the config.lua of the Lua Parley gets a message about what to write here instead. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../scripts/lib/paths.mjs";
import { checkValues } from "../../../src/app/configuration/check-values.ts";
import { keyRows } from "../../../src/conversation/keys.ts";

/** Without the options that mean the same here. */
const options =
  `openai_api_key api_keys google_drive oauth cliproxy cmd_prefix curl_params log_file log_sensitive
  state_dir web_search default_agent chat_roots notes_dir note_roots note_dirs repo_note_dir export_html_dir
  export_markdown_dir chat_user_prefix chat_assistant_prefix chat_local_prefix chat_branch_prefix
  chat_tool_use_prefix chat_tool_result_prefix tool_read_roots tool_result_page_lines chat_template
  chat_topic_gen_prompt chat_topic_gen_model chat_confirm_delete chat_conceal_model_params chat_spell
  chat_shortcut_respond chat_shortcut_define chat_shortcut_respond_all chat_shortcut_delete
  chat_shortcut_delete_tree chat_shortcut_stop chat_shortcut_agent chat_shortcut_system_prompt
  chat_shortcut_follow_cursor chat_shortcut_search chat_shortcut_open_file chat_shortcut_resolve_ref_gf
  chat_shortcut_resolve_ref_project chat_shortcut_prune chat_shortcut_export_markdown
  chat_shortcut_export_html chat_shortcut_exchange_cut chat_shortcut_exchange_paste chat_shortcut_copy_fence
  global_shortcut_copy_location global_shortcut_copy_context global_shortcut_new global_shortcut_review
  global_shortcut_finder global_shortcut_keybindings global_shortcut_add_chat_ref global_shortcut_note_new
  global_shortcut_oil review_shortcut_edit review_agent review_highlight_duration skill_shortcut skill_agent
  skills chat_finder_pattern chat_finder_mappings chat_finder_recency note_finder_mappings
  note_finder_recency repo_marker repo_chat_dir issues_dir src_root sdlc_cmd history_dir vision_dir
  markdown_finder_max_depth issue_finder_mappings chat_free_cursor chat_prompt_buf_type chat_memory
  memory_prefs style_chat_finder_border style_chat_finder_preview_ratio mark_reference_span highlight lualine
  raw_mode command_prompt_prefix_template command_auto_select_response hooks max_tool_iterations
  tool_result_max_bytes super_repo interview`.split(/\s+/);

const reasonOf = (given: Readonly<Record<string, unknown>>) => checkValues(given).mistakes;

describe("an option", () => {
  it.each(options)("%s of the Lua Parley is rejected with what to write instead", (name) => {
    const [mistake, ...others] = reasonOf({ [name]: {} });
    expect(others).toEqual([]);
    expect(mistake?.path).toEqual([name]);
    expect(mistake?.reason).not.toContain("there is no such key");
    // The reason becomes the end of a sentence.
    expect(mistake?.reason).not.toMatch(/^(?!Parley\b)[A-Z]|\.$/);
  });

  it.each([
    [{ api_key: "k" }, "api_key", "providers.NAME.api_key"],
    [{ mcpServers: { a: {} } }, "mcpServers", "mcp.json"],
    [{ providers: { openai: { url: "http://x" } } }, "providers.openai.url", "base_url"],
    [{ providers: { openai: { model: "m" } } }, "providers.openai.model", "beside providers"],
  ])("of another program is rejected with what to write instead: %j", (given, path, says) => {
    const mistakes = reasonOf(given).map((each) => [each.path.join("."), each.reason]);
    expect(mistakes).toEqual([[path, expect.stringContaining(says)]]);
  });

  it("of the Lua Parley with another type here is rejected with the right type", () => {
    const agents = [{ name: "A", model: "x" }];
    expect(reasonOf({ agents, system_prompts: [{ name: "b", system_prompt: "c" }] })).toEqual([
      { path: ["agents"], reason: expect.stringContaining("agents = { NAME =") },
      { path: ["system_prompts"], reason: expect.stringContaining("system_prompts = { NAME =") },
    ]);
    expect(reasonOf({ highlight: { question: { fg: "red" } } })[0]?.reason).toContain("groups");
    expect(reasonOf({ highlight: "tree-sitter" })[0]?.reason).toBe("write parley or treesitter");
    const { values, mistakes } = checkValues({
      providers: { openai: { endpoint: "https://x/v1/chat/completions", api_key: "k" } },
    });
    expect(mistakes.map(({ path, reason }) => [path.join("."), reason])).toEqual([
      ["providers.openai.endpoint", expect.stringContaining("base_url")],
    ]);
    expect(values.providers?.openai).toEqual({ api_key: "k" });
  });

  it("that is misspelt is rejected with a suggestion if one is close", () => {
    expect(reasonOf({ modle: "x", constructor: 1 }).map(({ reason }) => reason)).toEqual([
      "there is no such key; did you mean model?",
      "there is no such key",
    ]);
  });

  it("is rejected with options, keys and help tags that exist", () => {
    const text = options.flatMap((name) => reasonOf({ [name]: {} })).map(({ reason }) => reason);
    const names = keyRows.map(({ name }) => name);
    for (const [, key = ""] of text.join("\n").matchAll(/\b(?:global_)?keys\.(\w+)/g)) {
      expect(names).toContain(key);
    }
    const help = readFileSync(join(projectRoot, "doc", "parley.txt"), "utf8");
    for (const [, tag = ""] of text.join("\n").matchAll(/:help (parley-[a-z]+)/g)) {
      expect(help).toContain(`*${tag}*`);
    }
    for (const [, name = ""] of text.join("\n").matchAll(/\bwrite ([a-z_]+)\b(?!:)/g)) {
      if (["each", "a", "keys", "providers", "global"].includes(name)) continue;
      expect(reasonOf({ [name]: null })).toEqual([]);
      const [mistake] = reasonOf({ [name]: () => {} });
      expect(mistake?.reason ?? "").not.toContain("no such key");
    }
  });
});
