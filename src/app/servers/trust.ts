/** A project's servers: none starts before the person has seen its whole command and said yes. */
import { join } from "node:path";
import type { OAuthSettings } from "../../mcp/oauth/settings.ts";
import { visible } from "../../shared/visible.ts";
import { fieldsOf, isMissing, readOwn, sha256, writeOwn } from "../state/own-files.ts";
import type { DeclaredServer } from "./declared-servers.ts";

/** `unknown`: nobody was asked. `no`: for this session. */
export type Trust = "yes" | "no" | "unknown";

export interface TrustStore {
  of(server: DeclaredServer): Promise<Trust>;
  /** A yes is kept in the state folder, a no until the end of this session. */
  decide(server: DeclaredServer, isTrusted: boolean): Promise<void>;
  /** What the no of this session was about is unknown again. */
  askAgain(server: DeclaredServer): void;
}

/** `onChange` hears of every decision. */
export function createTrust(stateFolder: string, onChange: () => void): TrustStore {
  const folder = join(stateFolder, "mcp-trust");
  const declined = new Set<string>();
  return {
    async of(server) {
      const hash = trustHash(server);
      if (declined.has(hash)) return "no";
      try {
        const text = await readOwn(join(folder, `${hash}.json`));
        return text !== "gone" && text !== "foreign" && fieldsOf(text)?.hash === hash
          ? "yes"
          : "unknown";
      } catch (error) {
        if (isMissing(error)) return "unknown";
        throw error;
      }
    },
    async decide(server, isTrusted) {
      const hash = trustHash(server);
      if (!isTrusted) {
        declined.add(hash);
        return onChange();
      }
      declined.delete(hash);
      const { entry, from } = server;
      const record = { hash, name: entry.name, file: from };
      await writeOwn(folder, `${hash}.json`, `${JSON.stringify(record)}\n`);
      onChange();
    },
    askAgain: (server) => declined.delete(trustHash(server)),
  };
}

/**
 * Of everything that decides what runs, as written; so another value of a variable asks nothing, and another
 * value in the file does.
 */
function trustHash({ entry: { name, launch }, from }: DeclaredServer): string {
  return sha256(JSON.stringify([name, launch, from]));
}

/** Shows the whole command; characters that nobody sees are made visible. */
export function trustQuestion({ entry: { name, launch }, from, project }: DeclaredServer): string {
  const lines = [
    launch.type === "stdio"
      ? `Start the MCP server ${visible(name)} of this project? It runs with your rights.`
      : `Connect to the MCP server ${visible(name)} of this project? It gets these headers, and what calls say.`,
    `file: ${visible(from)}`,
  ];
  if (launch.type === "stdio") {
    const { command, args, env, cwd } = launch;
    lines.push(`command: ${[command, ...args].map(shownWord).join(" ")}`);
    lines.push(`in: ${visible(cwd ?? project ?? "")}`);
    for (const [key, value] of Object.entries(env)) {
      lines.push(`env: ${visible(key)}=${shownWord(value)}`);
    }
  } else {
    lines.push(`url: ${visible(launch.url)}`);
    // As written: a variable shows which value of this machine would be sent.
    for (const [key, value] of Object.entries(launch.headers)) {
      lines.push(`header: ${visible(key)}: ${shownWord(value)}`);
    }
    lines.push(...loginLines(launch.oauth));
  }
  lines.push("A yes is remembered until this changes, a no until Neovim ends.");
  return lines.join("\n");
}

/** A secret of this machine can go out by them too, to an address that the project names. */
function loginLines(oauth: OAuthSettings | null): readonly string[] {
  if (oauth === null) return [];
  const { algorithm: _, ...settings } = oauth;
  const texts = Object.entries(settings).flatMap(([key, value]) =>
    typeof value === "string" ? [`login: ${key}=${shownWord(value)}`] : [],
  );
  return oauth.isMachine ? [...texts, "login: by itself, without you"] : texts;
}

/** Words that hold spaces or quotes are told apart. */
export function shownWord(word: string): string {
  const shown = visible(word);
  return /^[^\s"'\\]+$/.test(shown) ? shown : visible(JSON.stringify(word));
}
