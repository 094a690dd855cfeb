/** `:Parley mcp try SERVER.TOOL`: lets the user fill in the arguments of one tool, runs it, and shows the result. */
import { policyNow } from "../../app/open-chat/chat-ports.ts";
import type { Tool, ToolOutput } from "../../conversation/ports.ts";
import { selectionOfServer } from "../../conversation/settings/tool-selection.ts";
import { argumentFields } from "../../mcp/asking/argument-fields.ts";
import type { PageMistake } from "../../mcp/asking/dialogue.ts";
import { formPage, type PageField, readPage } from "../../mcp/asking/form-page.ts";
import { dataSizeText } from "../../mcp/catalog/content.ts";
import { modelOfferedAll } from "../../mcp/mcp-host.ts";
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

function nameOf({ server, serverTool, name }: Tool): string {
  return visible(`${server}.${serverTool ?? name}`);
}

/** Finds the tool by `server.tool`, or by its name in requests. */
async function findTool(host: OpenHost, wanted: string): Promise<Tool | null> {
  const servers = await host.app.now.mcp.catalogs.names();
  const server = servers.find((name) => wanted === name || wanted.startsWith(`${name}.`)) ?? null;
  const selection = server && selectionOfServer(server);
  await host.app.servers.agree(selection);
  const { servers: states } = await host.app.now.mcp.status();
  const isReady = states.some(({ name, state }) => name === server && state === "ready");
  if (server !== null && !isReady) host.notify("info", `Starting ${visible(server)} …`);
  const { tools, notices } = await host.app.now.mcp.list(selection, modelOfferedAll);
  const found = tools.find(
    (tool) => tool.name === wanted || `${tool.server}.${tool.serverTool ?? tool.name}` === wanted,
  );
  if (found !== undefined) return found;
  const own = tools.filter((tool) => tool.server === server).map(nameOf);
  const there = own.length > 0 ? `It has: ${own.join(", ")}` : "";
  const why = notices.filter((notice) => server !== null && notice.includes(server));
  const lines = [`There is no tool ${JSON.stringify(wanted)}.`, there, ...why];
  host.notify("warn", lines.filter((text) => text !== "").join(" "));
  return null;
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
