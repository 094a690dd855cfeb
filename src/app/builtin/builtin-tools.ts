/** The built-in tools as one tool host: off unless a selection names them or their group, and loaded only then. */

import type { CallPath, Tool, ToolHost } from "../../conversation/ports.ts";
import {
  builtinGroup,
  builtinToolNames,
  commandTool,
  parseSelection,
  selectsBuiltin,
} from "../../conversation/settings/tool-selection.ts";
import { sandboxText } from "../../system/sandbox.ts";
import { createTypedToolHost } from "../../tools/typed-host.ts";
import type { Workspace } from "../files/workspace.ts";
import { createPathAccess, type PathAccessOptions } from "./path-access.ts";
import type { PlannedTool } from "./planned-tool.ts";
import { type BuiltinContext, type CommandOptions, createSeenTexts } from "./surroundings.ts";

export interface BuiltinOptions extends PathAccessOptions {
  readonly workspace: Workspace;
  /** The configured timeout at the time of the call. */
  timeoutMs(): number;
  /** How commands run, as configured at the time of the call. */
  command(): CommandOptions;
  /** The rule, as written, that keeps the built-in reading tools from a file; null: there is none. */
  readDenial(path: CallPath): string | null;
  log(text: string): void;
}

interface Loaded {
  readonly host: ToolHost;
  readonly tools: readonly Tool[];
  /** By tool name. */
  readonly planned: ReadonlyMap<string, PlannedTool>;
}

const none = { tools: [], notices: [] };

export function createBuiltinTools(options: BuiltinOptions): ToolHost {
  let loading: Promise<Loaded> | null = null;
  const load = () => {
    loading ??= loadTools(options);
    return loading;
  };
  return {
    async list(selectionText) {
      // The default selection means all of the user's own tools; tools that read and change files must be named.
      if (selectionText === null) return none;
      const { selection } = parseSelection(selectionText);
      if (!builtinToolNames.some((name) => selectsBuiltin(selection, name))) return none;
      const { tools } = await load();
      const isMeant = ({ name }: Tool) => selectsBuiltin(selection, name);
      const { sandbox } = options.command();
      const described = (tool: Tool): Tool =>
        tool.name === commandTool && sandbox !== null
          ? {
              ...tool,
              description: `${tool.description} It runs in a sandbox: it ${sandboxText(sandbox)}.`,
            }
          : tool;
      return { tools: tools.filter(isMeant).map(described), notices: [] };
    },
    run: async (call, how) => (await load()).host.run(call, how),
    subject: async (call) => (await load()).planned.get(call.name)?.subject(call) ?? null,
    plan: async (call, world) => (await load()).planned.get(call.name)?.plan(call, world) ?? null,
    close: async () => (await loading)?.host.close(),
  };
}

/** Makes a tool; returns null where it has nothing to work with. */
type MakeTool = (context: BuiltinContext) => PlannedTool | null;

/** One row for each file of tools. Their names, and what they do with files, are rows of `tool-selection.ts`. */
const makers: readonly (() => Promise<readonly MakeTool[]>)[] = [
  () => import("./read-file.ts").then(({ readFileTool }) => [readFileTool]),
  () => import("./list-files.ts").then(({ listFilesTool }) => [listFilesTool]),
  () => import("./search-files.ts").then(({ searchFilesTool }) => [searchFilesTool]),
  () => import("./diagnostics.ts").then(({ diagnosticsTool }) => [diagnosticsTool]),
  () =>
    import("./edit-file.ts").then((edits) => [
      edits.editFileTool,
      edits.editSeveralTool,
      edits.makeFileTool,
    ]),
  () => import("./run-command.ts").then(({ runCommandTool }) => [runCommandTool]),
];

async function loadTools(options: BuiltinOptions): Promise<Loaded> {
  const { workspace, workingFolder, readDenial, log, command } = options;
  const context: BuiltinContext = {
    workspace,
    access: createPathAccess(options),
    workingFolder,
    seen: createSeenTexts(),
    readDenial: (path) => readDenial(path),
    command: () => command(),
  };
  const loaded = await Promise.all(makers.map((load) => load()));
  const all = loaded
    .flat()
    .map((make) => make(context))
    .filter((one) => one !== null);
  const tools = all.map(({ tool }) => ({ ...tool, group: builtinGroup }));
  return {
    tools,
    host: createTypedToolHost(tools, { timeoutMs: () => options.timeoutMs(), log }),
    planned: new Map(all.map((one) => [one.tool.name, one])),
  };
}
