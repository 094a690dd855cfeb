/** `:Parley tools`: servers and tools with their state and cost; switches them on and off for one chat or for all. */
import { join } from "node:path";
import { transcriptModel } from "../../app/configuration/default-model.ts";
import { writeOption } from "../../app/configuration/write-option.ts";
import { inColumn } from "../../app/servers/report.ts";
import { tokensOfTools } from "../../conversation/request/request-size.ts";
import { chatSettings } from "../../conversation/settings/chat-settings.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import {
  builtinGroup,
  mentionsServer,
  readSelection,
} from "../../conversation/settings/tool-selection.ts";
import {
  includesUnnamedServers,
  type SwitchGroup,
  selectionOf,
  switched,
  switchGroups,
} from "../../conversation/settings/tool-switches.ts";
import { mockServerName, modelOfferedAll } from "../../mcp/mcp-host.ts";
import { shownLines, visible } from "../../shared/visible.ts";
import { removeHeaderKeys, setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { HostChat } from "../chat/host-chat.ts";

/** Without an action, shows the list. Its keys send `toggle ID`, `describe ID` and `save`. */
export async function toolBoard(chat: HostChat, [action, ...words]: readonly string[]) {
  const id = words.join(" ");
  if (action === "toggle") await toggle(chat, id);
  if (action === "describe") return describe(chat, id);
  if (action === "save") return saveForAll(chat);
  if (action === undefined) await startUnknown(chat);
  await show(chat);
}

/** Starts servers that never listed their tools, as the next request would. */
async function startUnknown(chat: HostChat): Promise<void> {
  const { mcp } = chat.host.app.now;
  const { groups } = await read(chat);
  const { servers } = await mcp.status();
  const unknown = servers
    .filter(({ name, state }) => state === "off" && groups.every((group) => group.name !== name))
    .map(({ name }) => visible(name));
  if (unknown.length === 0) return;
  chat.host.notify("info", `Starting ${unknown.join(", ")} to see what there is.`);
  await mcp.list(null, modelOfferedAll);
}

async function show(chat: HostChat): Promise<void> {
  const { groups, above } = await read(chat);
  const { servers } = await chat.host.app.now.mcp.status();
  const states = new Map(servers.map(({ name, state, tools }) => [name, { state, tools }]));
  const rows = boardRows(groups, states, above);
  await chat.host.lua.call("tools_board", {
    buf: chat.editor.number,
    lines: rows.map(({ line }) => visible(line)),
    ids: rows.map((row) => row.id),
  });
}

/** Starts no server: tools of those that do not run are shown as last listed. */
async function read(chat: HostChat) {
  const { app } = chat.host;
  const { transcript } = await chat.chat.read();
  const { settings } = chatSettings(transcript.header, app.now.configuration);
  const { configuration } = app.now;
  const { environment } = app.options;
  const model = formatModelName(transcriptModel(transcript, { configuration, environment }));
  const list = async (selection: string | null) =>
    (await app.now.tools.list(selection, model, { asRemembered: true })).tools;
  const chosen = readSelection(settings.tools);
  // Other models get the mock server only where it is named.
  const isMockNamed = chosen !== null && mentionsServer(chosen, mockServerName);
  const found = [
    ...(await list(null)),
    ...(await list(builtinGroup)),
    ...(isMockNamed ? await list(mockServerName) : []),
  ];
  const all = [...new Map(found.map((tool) => [tool.name, tool])).values()];
  const groups = switchGroups(all, settings.tools);
  return { groups, selection: settings.tools, above: settings.tool_search };
}

async function toggle(chat: HostChat, id: string): Promise<void> {
  const { groups, selection } = await read(chat);
  const { chat: core, host } = chat;
  // A header without tools means the configured ones.
  const mayBeEmpty = host.app.now.configuration.tools === null;
  const now = switched(groups, id);
  const wanted = selectionOf(now, includesUnnamedServers(selection));
  const value = wanted === null && !mayBeEmpty ? selectionOf(now, false) : wanted;
  await core.edit(core.newUndoGroup(), (transcript) => ({
    edits:
      value === null
        ? removeHeaderKeys(transcript, ["tools"])
        : setHeaderValue(transcript, "tools", value),
  }));
  await chat.refresh();
}

/** Saves the tools of this chat for all chats that do not set their own. */
async function saveForAll(chat: HostChat): Promise<void> {
  const { host } = chat;
  const { selection } = await read(chat);
  const path = join(host.app.options.configurationFolder, "config.json");
  const what = selection === null ? "no tools:" : `tools: ${selection}`;
  if (host.app.now.optionsOfSetup.has("tools")) {
    // A value in the file would have no effect.
    const where = 'require("parley").setup() sets tools, which wins over config.json';
    host.notify("warn", `Nothing was saved: ${where}. Write ${what} there.`);
    return;
  }
  await writeOption(path, "tools", selection ?? undefined);
  await host.configurationSaved();
  host.notify("info", `${path} says ${what} now, for all chats.`);
}

async function describe(chat: HostChat, id: string): Promise<void> {
  const { groups } = await read(chat);
  const tools = groups.flatMap((group) =>
    group.name === id ? group.tools : group.tools.filter(({ word }) => word === id),
  );
  const lines = tools.flatMap(({ tool, word }) => [
    `# ${visible(word)}`,
    "",
    ...shownLines(tool.description),
    "",
    ...JSON.stringify(tool.inputSchema, null, 2).split("\n"),
    "",
  ]);
  if (lines.length === 0) return;
  const options = { title: "tool", filetype: "markdown" };
  await chat.host.lua.call("open", { what: lines, options });
}

interface BoardRow {
  readonly line: string;
  /** What a key on this line acts on; empty: nothing. */
  readonly id: string;
}

type States = ReadonlyMap<
  string,
  { readonly state: string; readonly tools: readonly string[] | null }
>;

const nameWidth = 40;

/** Fits a screen of 80 columns. */
function boardRows(
  groups: readonly SwitchGroup[],
  states: States,
  above: number,
): readonly BoardRow[] {
  const all = groups.flatMap(({ tools }) => tools);
  const on = all.filter(({ isOn }) => isOn);
  const cost = tokensOfTools(on.map(({ tool }) => tool));
  const isSearched = above > 0 && on.length > above;
  const text = (line: string): BoardRow => ({ line, id: "" });
  const head = [
    text(
      `${on.length} of ${all.length} tools are offered, about ${count(cost)} tokens of every request`,
    ),
    ...(isSearched
      ? [text(`more than tool_search (${above}): the model gets find_tools and what it finds`)]
      : []),
    text("<Space> on or off   K describes   S saves for all chats   q closes"),
  ];
  const unlisted = [...states].filter(([name]) => groups.every((group) => group.name !== name));
  return [
    ...head,
    ...groups.flatMap((group) => groupRows(group, states.get(group.name)?.state ?? "")),
    ...unlisted.flatMap(([name, { state }]) => [
      text(""),
      text(`    ${name}: ${state}, its tools are not known yet`),
    ]),
  ];
}

function groupRows({ name, tools }: SwitchGroup, state: string): readonly BoardRow[] {
  const on = tools.filter(({ isOn }) => isOn);
  const mark = on.length === 0 ? " " : on.length === tools.length ? "x" : "-";
  const tokens = `${count(tokensOfTools(on.map(({ tool }) => tool)))} tokens`;
  const head = `[${mark}] ${inColumn(visible(name), nameWidth)}${tokens.padStart(14)}  ${state}`;
  return [
    { line: "", id: "" },
    { line: head.trimEnd(), id: name },
    ...tools.map(({ tool, word, isOn }) => ({
      line: `  [${isOn ? "x" : " "}] ${inColumn(visible(tool.serverTool ?? tool.name), nameWidth - 2)}${count(tokensOfTools([tool])).padStart(7)}`,
      id: word,
    })),
  ];
}

function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}
