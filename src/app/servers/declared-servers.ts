/** Where MCP servers are configured: the user's own files and settings, and the files of the current project. */
import { join } from "node:path";
import { builtinGroup, builtinToolNames } from "../../conversation/settings/tool-selection.ts";
import type { DeclaredInput, ServerFile } from "../../mcp/configured/config-file.ts";
import { readEntries, type ServerEntry } from "../../mcp/configured/entry.ts";
import { foldersToTop } from "../files/repository.ts";
import type { SeenFiles } from "../tools/tool-changes.ts";
import type { ServerFiles } from "./config-files.ts";
import { hasTooManyWords } from "./project-scripts.ts";

export interface ServerSources {
  /** The folder of mcp.json. */
  readonly configurationFolder: string;
  /** `mcp.servers` of the configuration. */
  readonly configured: Readonly<Record<string, unknown>>;
  /** A file that the user named; it counts as their own. */
  readonly namedFile: string | null;
  readonly workingDirectory: string;
  /** Whether a project's files count: only where there is a user to ask. */
  readonly withProject: boolean;
}

/** How files are read and looked up. */
interface ServerReading {
  readonly files: ServerFiles;
  readonly seen: SeenFiles;
}

export interface DeclaredServer {
  readonly entry: ServerEntry;
  /** The inputs that `${input:id}` may refer to. */
  readonly inputs: readonly DeclaredInput[];
  /** The path of the file, else `setup or config.json`; shown to the user. */
  readonly from: string;
  /** The project's folder if a project's file declares the server, which then starts only after approval; else null. */
  readonly project: string | null;
}

interface DeclaredServers {
  readonly servers: readonly DeclaredServer[];
  /** Patterns of tools that the project's deny rules forbid. */
  readonly deny: readonly string[];
  /** Sentences about entries that are not used. */
  readonly mistakes: readonly string[];
  /** Sentences about entries that are used but that the user should know about. */
  readonly remarks: readonly string[];
}

/** All declared servers. Of two with one name the first counts, so a project cannot replace a server of the user's. */
export async function findServers(
  sources: ServerSources,
  reading: ServerReading,
): Promise<DeclaredServers> {
  const { files } = reading;
  const { configurationFolder, configured, namedFile, workingDirectory, withProject } = sources;
  const mistakes: string[] = [];
  const remarks: string[] = [];
  const [named, own] = await Promise.all([
    namedFile === null ? null : readServerFile(files, namedFile, true),
    readServerFile(files, join(configurationFolder, "mcp.json"), false),
  ]);
  const project = withProject ? await findProject(workingDirectory, reading) : null;
  const found: DeclaredServer[] = [];
  const add = (path: string, file: ServerFile, folder: string | null) => {
    mistakes.push(...file.mistakes);
    remarks.push(...file.remarks);
    for (const entry of file.entries) {
      found.push({ entry, inputs: file.inputs, from: path, project: folder });
    }
  };
  if (named !== null) add(named.path, named.file, null);
  const inSetup = readEntries(configured);
  for (const entry of inSetup.entries) {
    found.push({ entry, inputs: [], from: setupSource, project: null });
  }
  for (const { name, path, reason } of inSetup.remarks) {
    remarks.push(`${setupSource}: ${["mcp", "servers", name, ...path].join(".")}: ${reason}.`);
  }
  add(own.path, own.file, null);
  for (const { path, file } of project?.files ?? []) {
    add(path, readableFile(path, file), project?.folder ?? null);
  }
  return {
    servers: withoutNamesakes(found, mistakes),
    deny: project?.files.flatMap(({ file }) => file.deny) ?? [],
    mistakes,
    remarks,
  };
}

/** The most that is used of a project's file, which anyone may have written: each look at it takes time for all of it. */
const most = { servers: 100, sentences: 20, inputCharacters: 20_000 };

/** What of a project's file a person could read before agreeing to it. */
function readableFile(path: string, file: ServerFile): ServerFile {
  const few = (sentences: readonly string[]) =>
    sentences.length <= most.sentences
      ? sentences
      : [
          ...sentences.slice(0, most.sentences),
          `${path}: ${sentences.length - most.sentences} more problems are not listed.`,
        ];
  const mistakes: string[] = [];
  if (JSON.stringify(file.inputs).length > most.inputCharacters) {
    const mistake = `${path}: its inputs are too long to be read, so none of its servers is used.`;
    return { ...file, entries: [], mistakes: few([...file.mistakes, mistake]) };
  }
  if (file.entries.length > most.servers) {
    mistakes.push(`${path}: only its first ${most.servers} MCP servers are used.`);
  }
  const entries = file.entries.slice(0, most.servers).filter(({ name, launch }) => {
    const isReadable = launch.type !== "stdio" || !hasTooManyWords(launch);
    if (!isReadable) {
      mistakes.push(
        `${path}: the MCP server ${name} is left out, because its command is too long to be read.`,
      );
    }
    return isReadable;
  });
  return {
    ...file,
    entries,
    mistakes: few([...mistakes, ...file.mistakes]),
    remarks: few(file.remarks),
  };
}

const setupSource = "setup or config.json";

const reserved: ReadonlySet<string> = new Set([builtinGroup, ...builtinToolNames]);

function withoutNamesakes(
  found: readonly DeclaredServer[],
  mistakes: string[],
): readonly DeclaredServer[] {
  const servers = new Map<string, DeclaredServer>();
  for (const server of found) {
    const { name } = server.entry;
    if (reserved.has(name)) {
      mistakes.push(
        `${server.from}: the MCP server ${name} is left out: in rules and selections this name means the built-in tools. Rename it.`,
      );
      continue;
    }
    const first = servers.get(name);
    if (first === undefined) servers.set(name, server);
    else if (server.project !== null) {
      mistakes.push(
        `${server.from}: the MCP server ${name} is left out: ${first.from} already has one with that name. Rename it to use both.`,
      );
    }
  }
  return [...servers.values()];
}

interface ReadFile {
  readonly path: string;
  readonly file: ServerFile;
}

async function readServerFile(
  files: ServerFiles,
  path: string,
  mustBe: boolean,
): Promise<ReadFile> {
  return { path, file: await files.read(path, mustBe) };
}

/** The nearest folder with servers, from the working directory up to the top of its repository. */
async function findProject(
  workingDirectory: string,
  { files: serverFiles, seen }: ServerReading,
): Promise<{ readonly folder: string; readonly files: readonly ReadFile[] } | null> {
  const isThere = (path: string) => seen.kind(path) !== null;
  // Outside a repository, a folder above may belong to anyone.
  const folders = (await foldersToTop(workingDirectory, async (path) => isThere(path))) ?? [
    workingDirectory,
  ];
  for (const folder of folders) {
    const paths = projectFiles.map((name) => join(folder, name)).filter(isThere);
    const files = await Promise.all(paths.map((path) => readServerFile(serverFiles, path, false)));
    if (files.length > 0) return { folder, files };
  }
  return null;
}

/** Paths relative to a folder. If two files of one folder declare the same name, the earlier one in this list wins. */
export const projectFiles = [
  ".mcp.json",
  join(".vscode", "mcp.json"),
  join(".cursor", "mcp.json"),
  join(".mcphub", "servers.json"),
];
