/** The user's own tools: files next to the configuration, loaded again whenever they are saved. */
import type { ToolHost } from "../../conversation/ports.ts";
import type { Planning } from "../../tools/plan-typed.ts";
import { createTypedToolHost } from "../../tools/typed-host.ts";
import type { TypedTool } from "../../tools/typed-tool.ts";
import type { LoadedTools } from "./load-tools.ts";
import type { SeenFiles } from "./tool-changes.ts";

export interface ToolFile {
  /** Absolute. */
  readonly path: string;
  /** The default file, which was not configured by name and may be missing. */
  readonly isOptional: boolean;
}

export interface ToolFilesOptions {
  readonly files: readonly ToolFile[];
  /** Where their changes are detected. */
  readonly seen: SeenFiles;
  readonly timeoutMs: number;
  /** What the plans of these tools are made with; absent: they have none. */
  readonly planning?: Planning;
  log(text: string): void;
}

/** What a file contained when it was last read. */
interface Read {
  readonly version: string;
  readonly loaded: Promise<LoadedTools>;
}

/**
 * The tools of all files as one host. A file with a mistake only loses its own tools, and a notice names the line.
 * Modules that a tool file imports are read once, until the host restarts.
 */
export function createToolFiles(options: ToolFilesOptions): ToolHost {
  const { files, seen, timeoutMs, planning = null, log } = options;
  const read = new Map<string, Read>();
  const hosts = new Map<string, ToolHost>();
  let current: ToolHost = createTypedToolHost([]);

  const load = async (file: ToolFile): Promise<LoadedTools & { readonly version: string }> => {
    const isFile = seen.kind(file.path) === "file";
    const version = isFile ? seen.version(file.path) : null;
    if (version === null) return { ...missing(file), version: "" };
    const known = read.get(file.path);
    const loaded = known?.version === version ? known.loaded : loadFile(file.path, version);
    read.set(file.path, { version, loaded });
    return { ...(await loaded), version };
  };

  return {
    async list(selection, model) {
      const all = await Promise.all(files.map(load));
      const { tools, notices } = withoutNamesakes(
        all.map((loaded, index) => {
          const file = files[index]?.path ?? "";
          return loaded.tools.map((tool) => ({ ...tool, file }));
        }),
      );
      // Calls under way finish with the tools they started with, so each host stays until all are closed.
      const key = JSON.stringify(all.map(({ version }) => version));
      const host = hosts.get(key) ?? createTypedToolHost(tools, { timeoutMs, planning, log });
      hosts.set(key, host);
      current = host;
      const list = await host.list(selection, model);
      const problems = all.flatMap(({ problem }) => (problem === null ? [] : [problem]));
      const allNotices = [...problems, ...notices, ...list.notices];
      return { tools: list.tools, notices: allNotices, calls: host };
    },
    run: (call, options) => current.run(call, options),
    subject: async (call) => (await current.subject?.(call)) ?? null,
    plan: async (call, world) => (await current.plan?.(call, world)) ?? null,
    async close() {
      await Promise.all([...hosts.values()].map((host) => host.close()));
    },
  };
}

async function loadFile(path: string, version: string): Promise<LoadedTools> {
  const { loadTools } = await import("./load-tools.ts");
  return loadTools(path, version);
}

function missing({ path, isOptional }: ToolFile): LoadedTools {
  const problem = `There is no tool file ${path}. Create it, or remove it from tool_files.`;
  return { tools: [], problem: isOptional ? null : problem };
}

function withoutNamesakes(lists: readonly (readonly TypedTool[])[]): {
  readonly tools: readonly TypedTool[];
  readonly notices: readonly string[];
} {
  const tools = new Map<string, TypedTool>();
  const notices: string[] = [];
  for (const tool of lists.flat()) {
    if (!tools.has(tool.name)) tools.set(tool.name, tool);
    else
      notices.push(`Two tools in tool files are named ${tool.name}; Parley offers the first one.`);
  }
  return { tools: [...tools.values()], notices };
}
