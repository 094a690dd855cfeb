/** `:Parley mcp try SERVER.TOOL`: lets the user fill in the arguments of one tool, runs it, and shows the result. */
import { policyNow } from "../../app/open-chat/chat-ports.ts";
import { noServer } from "../../app/servers/report.ts";
import { listWhenStarted } from "../../app/servers/when-started.ts";
import type { Tool, ToolOutput } from "../../conversation/ports.ts";
import { selectionOfServer } from "../../conversation/settings/tool-selection.ts";
import { argumentFields } from "../../mcp/asking/argument-fields.ts";
import type { PageMistake } from "../../mcp/asking/dialogue.ts";
import { formPage, type PageField, readPage } from "../../mcp/asking/form-page.ts";
import { dataSizeText } from "../../mcp/catalog/content.ts";
import { mockServerName, modelOfferedAll } from "../../mcp/mcp-host.ts";
import { wireBegin } from "../../mcp/names.ts";
import { shownLines, visible } from "../../shared/visible.ts";
import { validateArguments } from "../../tools/schema-validation.ts";
import { confirmation, createDialogue } from "../asking/questions.ts";
import type { OpenHost } from "../context.ts";

/** The user writes the arguments, so the call needs no other approval. */
export async function tryTool(host: OpenHost, wanted: string | null): Promise<void> {
  if (wanted === null) {
    host.notify("warn", "Name the tool: :Parley mcp try SERVER.TOOL.");
    return;
  }
  const tool = await findTool(host, wanted);
  if (tool === null) return;
  const json = await askArguments(host, tool);
  if (json === null) {
    host.notify("info", `${nameOf(tool)} was not run.`);
    return;
  }
  const call = { id: "call_1", name: tool.name, arguments: json };
  const { answer, rule } = policyNow(host.app)(tool, call, null);
  if (answer === "deny") {
    host.notify("warn", `${nameOf(tool)} was not run: ${rule ?? "a rule forbids it"}.`);
    return;
  }
  host.notify("info", `${nameOf(tool)} runs.`);
  const begun = Date.now();
  const { signal } = new AbortController();
  const output = await host.app.now.mcp.run(call, { signal, progress: () => {} });
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  const head = `# ${nameOf(tool)}: ${output.status}, ${seconds} s`;
  const lines = [head, "", `arguments: ${visible(json)}`, "", ...outputLines(output)];
  await host.lua.call("open", { what: lines, options: { title: "mcp try", filetype: "markdown" } });
}

function fullName({ server, serverTool, name }: Tool): string {
  return `${server}.${serverTool ?? name}`;
}

function nameOf(tool: Tool): string {
  return visible(fullName(tool));
}

/** Finds the tool by `server.tool`, or by its name in requests. Starts no server but the one that is meant. */
async function findTool(host: OpenHost, wanted: string): Promise<Tool | null> {
  const names = [...(await host.app.now.mcp.catalogs.names()), mockServerName];
  const isMeant = (name: string) =>
    wanted === name || wanted.startsWith(`${name}.`) || wanted.startsWith(wireBegin(name));
  // Of `a` and `a.b`, the tool `a.b.c` may be of either.
  const meant = names.filter(isMeant).sort((one, other) => other.length - one.length);
  const listed: { readonly server: string; readonly said: string }[] = [];
  for (const server of meant) {
    const { tools, notices } = await toolsOf(host, server);
    const found = tools.find((tool) => tool.name === wanted || fullName(tool) === wanted);
    if (found !== undefined) return found;
    listed.push({ server, said: whatThereIs(server, tools, notices) });
  }
  const text = listed.map(({ said }) => said).join(" ");
  const isServer = listed.some(({ server }) => server === wanted);
  const begin = isServer ? "Name the tool, too." : `There is no tool ${JSON.stringify(wanted)}.`;
  host.notify("warn", text === "" ? noServerOf(host, wanted) : `${begin} ${text}`);
  return null;
}

async function toolsOf(host: OpenHost, server: string) {
  const { mcp } = host.app.now;
  const selection = selectionOfServer(server);
  await host.app.servers.agree(selection);
  const { servers } = await mcp.status();
  if (servers.some(({ name, state }) => name === server && state !== "ready")) {
    host.notify("info", `Starting ${visible(server)} …`);
  }
  const list = () => mcp.list(selection, modelOfferedAll);
  const say = (text: string) => host.notify("info", text);
  const { tools, notices } = await listWhenStarted(host.app, list, { server, say });
  return {
    tools: tools.filter((tool) => tool.server === server),
    notices: notices.filter((notice) => notice.includes(server)),
  };
}

function whatThereIs(server: string, tools: readonly Tool[], notices: readonly string[]): string {
  if (tools.length === 0 && notices.length === 0) return `${visible(server)} has no tools.`;
  const there = tools.length > 0 ? [`It has: ${tools.map(nameOf).join(", ")}`] : [];
  return [...there, ...notices].join(" ");
}

/** Says that no server has such a name. A name may contain dots, so the longest disabled one counts. */
function noServerOf(host: OpenHost, wanted: string): string {
  const disabled = host.app.servers.disabled();
  const off = [...disabled.keys()].filter((name) => `${wanted}.`.startsWith(`${name}.`));
  const [name = wanted.split(".", 1)[0] ?? wanted] = off.sort((a, b) => b.length - a.length);
  return `${noServer(name, disabled)}; :Parley mcp lists what there is.`;
}

/** The arguments as JSON; null: the user left the form. */
async function askArguments(host: OpenHost, tool: Tool): Promise<string | null> {
  const fields = argumentFields(tool.inputSchema);
  if (fields.length === 0) {
    const yes = await host.ask(confirmation(`Run ${nameOf(tool)}? It takes no arguments.`));
    return yes === true ? "{}" : null;
  }
  const details = tool.description
    .split("\n")
    .slice(0, 20)
    .map((line) => `│ ${visible(line)}`);
  const page = formPage({ title: nameOf(tool), details, purpose: "runs it", fields });
  const { signal } = new AbortController();
  const dialogue = createDialogue(host.lua, host.ask);
  const check = (lines: readonly string[]) => checkArguments(host, tool, fields, lines);
  const written = await dialogue.fill(page, check, signal);
  return written && JSON.stringify(readPage(fields, written).values);
}

/** Checks each line on its own, then all of them by the tool's schema. */
async function checkArguments(
  host: OpenHost,
  tool: Tool,
  fields: readonly PageField[],
  lines: readonly string[],
): Promise<readonly PageMistake[]> {
  const { values, mistakes } = readPage(fields, lines);
  if (mistakes.length > 0) return mistakes;
  const misfit = await validateArguments(tool, JSON.stringify(values), host.app.options.log);
  if (misfit === null) return [];
  const named = fields.find(({ name }) => misfit.includes(name));
  const line = lines.findIndex((text) => named !== undefined && text.startsWith(`${named.name}:`));
  return [{ line: Math.max(0, line), text: misfit }];
}

function outputLines({ text, media, personal }: ToolOutput): readonly string[] {
  const own = personal === undefined ? [] : ["", "only for you:", "", ...shownLines(personal.text)];
  const shown = [...media, ...(personal?.media ?? [])];
  const kept = shown.map(({ mime, data }) => `[${mime}, ${dataSizeText(data)}: not shown here]`);
  return [...shownLines(text), ...own, ...kept];
}
