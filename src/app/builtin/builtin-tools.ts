/** The built-in tools as one host: off unless a selection names them or their group, loaded when one does. */

import type { Tool, ToolHost } from "../../conversation/ports.ts";
import {
  builtinGroup,
  builtinToolNames,
  mentionsServer,
  parseSelection,
  selects,
} from "../../conversation/settings/tool-selection.ts";
import { createTypedToolHost } from "../../tools/typed-host.ts";
import type { TypedTool } from "../../tools/typed-tool.ts";
import { createPlaces, type PlacesOptions } from "./places.ts";
import type { BuiltinContext } from "./surroundings.ts";
import type { Workspace } from "./workspace.ts";

export interface BuiltinOptions extends PlacesOptions {
  readonly workspace: Workspace;
  readonly timeoutMs: number;
  log(text: string): void;
}

interface Loaded {
  readonly host: ToolHost;
  readonly tools: readonly TypedTool[];
  readonly preview: NonNullable<ToolHost["preview"]>;
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
      // The default is all tools of the person's own; what reads and changes their files is asked for by name.
      if (selectionText === null) return none;
      const { selection } = parseSelection(selectionText);
      const isNamed = (name: string) =>
        mentionsServer(selection, builtinGroup) ||
        selection.words.some(({ pattern, removes }) => !removes && pattern === name);
      if (!builtinToolNames.some(isNamed)) return none;
      const { tools } = await load();
      const isMeant = ({ name }: Tool) =>
        isNamed(name) && selects(selection, { name, server: builtinGroup, serverTool: name });
      return { tools: tools.filter(isMeant), notices: [] };
    },
    run: async (call, how) => (await load()).host.run(call, how),
    preview: async (call) => (await load()).preview(call),
    close: async () => (await loading)?.host.close(),
  };
}

async function loadTools(options: BuiltinOptions): Promise<Loaded> {
  const { workspace, workingFolder, timeoutMs, log } = options;
  const context: BuiltinContext = {
    workspace,
    places: createPlaces(options),
    workingFolder,
    seen: new Map(),
  };
  const [read, list, search, diagnostics, edit] = await Promise.all([
    import("./read-file.ts"),
    import("./list-files.ts"),
    import("./search-files.ts"),
    import("./diagnostics.ts"),
    import("./edit-file.ts"),
  ]);
  const editFile = edit.editFileTool(context);
  const reading = [
    read.readFileTool(context),
    list.listFilesTool(context),
    search.searchFilesTool(context),
    diagnostics.diagnosticsTool(context),
  ].filter((tool) => tool !== null);
  const tools = [...reading, editFile].map((tool) => ({ ...tool, group: builtinGroup }));
  return {
    tools,
    host: createTypedToolHost(tools, { timeoutMs, log }),
    preview: async (call) =>
      call.name === editFile.name ? edit.previewEdit(context, editFile, call) : null,
  };
}
