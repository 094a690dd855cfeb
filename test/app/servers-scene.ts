/** Servers of a project and of the user, in folders of their own, with a user who answers as the test says. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { createServers, type ServersOptions } from "../../src/app/servers/servers.ts";
import { createToolChanges } from "../../src/app/tools/tool-changes.ts";

let home: string;

/** For the top of a file: each of its tests has folders of its own. */
export function haveFolders(): void {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "parley-servers-"));
    await mkdir(join(home, "project", "src"), { recursive: true });
    await mkdir(join(home, "project", ".git"));
  });
  afterEach(() => rm(home, { recursive: true }));
}

export const path = (...parts: string[]) => join(home, ...parts);

export async function write(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(path(file)), { recursive: true });
  await writeFile(path(file), JSON.stringify(value));
}

export const project = (servers: unknown, more: object = {}) =>
  write("project/.mcp.json", { mcpServers: servers, ...more });

interface Scene {
  readonly says?: boolean;
  readonly types?: string | null;
  readonly configured?: Readonly<Record<string, unknown>>;
  readonly user?: null;
  /** Which item of a choice is taken; absent: the user leaves it. */
  readonly picks?: string;
  readonly workingDirectory?: string;
  readonly namedFile?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export function open({ says = false, types = null, configured = {}, ...scene }: Scene = {}) {
  const asked: string[] = [];
  const unkept: string[] = [];
  const user: NonNullable<ServersOptions["user"]> = {
    async confirm(question) {
      asked.push(question);
      return says;
    },
    async secret(prompt) {
      asked.push(prompt);
      return types;
    },
    async select({ prompt, details, items }) {
      asked.push([prompt, ...details].join("\n"));
      return scene.picks === undefined ? null : items.indexOf(scene.picks);
    },
    async input(prompt) {
      asked.push(prompt);
      return types;
    },
  };
  const servers = createServers({
    stateFolder: path("state"),
    environment: scene.environment ?? {},
    user: scene.user === null ? null : user,
    seen: createToolChanges().files,
    trustChanged: () => {},
    keep: (written) => written.catch((error) => void unkept.push(error.code)),
    sources: () => ({
      configurationFolder: path("config"),
      configured,
      namedFile: scene.namedFile ?? null,
      workingDirectory: scene.workingDirectory ?? path("project", "src"),
    }),
    keyVariables: () => new Set(["OPENAI_API_KEY"]),
  });
  const find = async (name: string) => {
    const found = await servers.find();
    const server = found.servers.find((one) => one.name === name);
    const { start } = server ?? {};
    return {
      leftOut: server?.leftOut,
      start: async () => (typeof start === "function" ? await start() : start),
    };
  };
  return { servers, asked, unkept, find };
}
