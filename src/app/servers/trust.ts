/** Which servers need approval before they start: what was approved on this machine, and the questions. */
import { isAbsolute, join } from "node:path";
import type { VariableSources } from "../../mcp/configured/expand-variables.ts";
import type { OAuthSettings } from "../../mcp/oauth/settings.ts";
import { isLocalAddress } from "../../net/local-address.ts";
import { sha256 } from "../../shared/hash.ts";
import { visible } from "../../shared/visible.ts";
import { fieldsOf, type Keep, readOwn, writeOwn } from "../state/own-files.ts";
import type { SeenFiles } from "../tools/tool-changes.ts";
import type { DeclaredServer } from "./declared-servers.ts";
import { processLines, shownWord } from "./launch-lines.ts";
import { scriptsOf } from "./project-scripts.ts";
import { knownText } from "./start-folder.ts";
import type { ServersUser } from "./user.ts";

/** `unknown`: not asked yet. `no`: declined for this session. */
type Trust = "yes" | "no" | "unknown";

/** One thing that needs approval. */
export interface Consent {
  /** Hash of everything that decides what runs or what is sent. */
  readonly hash: string;
  readonly server: DeclaredServer;
  /** In lines, everything that the user should know. */
  readonly question: string;
  /** A word that the user must type; null: a plain "yes" is enough. */
  readonly word: string | null;
  /** Why the server is not used without approval, as the end of a sentence that begins with "It". */
  readonly wants: string;
}

export interface TrustStore {
  of(consent: Consent): Promise<Trust>;
  /** An approval is kept in the state folder, or for this session if that fails; a denial only for this session. */
  decide(consent: Consent, isTrusted: boolean): Promise<void>;
  /** Forgets the denial of this session. */
  askAgain(consent: Consent): void;
}

interface TrustSources {
  readonly stateFolder: string;
  /** Called after every decision. */
  readonly trustChanged: () => void;
  readonly keep: Keep;
  readonly seen: SeenFiles;
}

export function createTrust({ stateFolder, trustChanged, keep, seen }: TrustSources): TrustStore {
  const folder = join(stateFolder, "mcp-trust");
  const declined = new Set<string>();
  /** Approvals that could not be kept in the state folder, or that could not be trusted there. */
  const unkept = new Set<string>();
  const isKept = async (hash: string) =>
    fieldsOf(await readOwn(join(folder, `${hash}.json`)))?.hash === hash;
  return {
    async of({ hash }) {
      if (declined.has(hash)) return "no";
      // Another Neovim may write into this folder.
      seen.version(folder);
      return unkept.has(hash) || (await isKept(hash)) ? "yes" : "unknown";
    },
    async decide({ hash, server, wants }, isTrusted) {
      if (!isTrusted) {
        declined.add(hash);
        unkept.delete(hash);
        return trustChanged();
      }
      declined.delete(hash);
      const { entry, from } = server;
      const record = { hash, name: entry.name, file: from, wants };
      await keep(writeOwn(folder, `${hash}.json`, `${JSON.stringify(record)}\n`));
      if (!(await isKept(hash))) unkept.add(hash);
      trustChanged();
    },
    askAgain: ({ hash }) => declined.delete(hash),
  };
}

/**
 * What a project's server needs approved: everything that decides what runs, as written, with the project's files that
 * its command runs and the inputs that it may ask for. A new value of a variable needs no new approval; a new text of
 * the script does.
 */
export async function projectConsent(
  server: DeclaredServer,
  project: string,
  { sources, seen }: { readonly sources: VariableSources; readonly seen: SeenFiles },
): Promise<Consent> {
  const { entry, from, inputs } = server;
  const { name, launch } = entry;
  const known = (text: string) => knownText(text, sources);
  const scripts = launch.type === "stdio" ? await scriptsOf(launch, { project, known, seen }) : [];
  const question = [
    launch.type === "stdio"
      ? `Start the MCP server ${visible(name)} of this project? It runs with your rights.`
      : `Connect to the MCP server ${visible(name)} of this project? It gets these headers, and the arguments of calls.`,
    ...launchDetails(server),
    ...scripts.flatMap(([path, found]) =>
      isAbsolute(found) ? [`link: ${shownWord(path)} leads to ${shownWord(found)}`] : [],
    ),
    "A yes is remembered until this or a file that it names changes, a no until Neovim ends.",
  ];
  return {
    hash: sha256(JSON.stringify([name, launch, from, inputs, scripts])),
    server,
    question: question.join("\n"),
    word: null,
    wants: `comes from the project's file ${from} and was not started`,
  };
}

/** For one of the user's own servers that names something in the working folder: asked once per folder. */
export function folderConsent(
  server: DeclaredServer,
  named: readonly string[],
  folder: string,
): Consent {
  const { entry, from } = server;
  const { name, launch } = entry;
  const question = [
    `Start your MCP server ${visible(name)} in this folder? What it names here runs with your rights.`,
    ...named.map((path) => `here: ${visible(path)}`),
    ...launchDetails(server),
    "A yes is remembered for this folder, a no until Neovim ends.",
  ];
  return {
    hash: sha256(JSON.stringify(["folder", name, launch, from, folder, named])),
    server,
    question: question.join("\n"),
    word: null,
    wants: `names ${named.map(visible).join(", ")} in the folder you work in and was not started`,
  };
}

/** For keys or headers that would be sent over a connection that others can read. */
export function plainConsent(server: DeclaredServer, { host, origin }: URL): Consent {
  const { entry, from } = server;
  const headers = entry.launch.type === "remote" ? Object.keys(entry.launch.headers) : [];
  const sent = headers.length === 0 ? "what calls say, and your login" : headers.join(", ");
  return {
    hash: sha256(JSON.stringify(["plain", entry.name, from, origin, headers])),
    server,
    question: `The MCP server ${visible(entry.name)} is at ${visible(origin)}. Anyone on the way can read ${visible(sent)}.`,
    word: host,
    wants: `would send ${sent} over http://, where others can read it, and was not used`,
  };
}

/** Whether an address is neither encrypted nor on this machine. */
export function isPlain(url: URL): boolean {
  return url.protocol === "http:" && !isLocalAddress(url);
}

/** Everything that decides what runs or is sent, as written: a variable shows which value of this machine is used. */
function launchDetails({ entry: { launch }, from, project, inputs }: DeclaredServer) {
  const lines = [`file: ${visible(from)}`];
  if (launch.type === "stdio") {
    const { args, env, cwd } = launch;
    const variables = Object.entries(env).map(
      ([key, value]) => `${visible(key)}=${shownWord(value)}`,
    );
    lines.push(...processLines(launch, { args, folder: cwd ?? project, variables }));
  } else {
    lines.push(`url: ${visible(launch.url)}`);
    for (const [key, value] of Object.entries(launch.headers)) {
      lines.push(`header: ${visible(key)}: ${shownWord(value)}`);
    }
    lines.push(...loginLines(launch.oauth));
  }
  for (const { id, prompt } of inputs) {
    lines.push(`asks you for: ${shownWord(id)} (${visible(prompt)})`);
  }
  return lines;
}

/** Login settings can also send a secret of this machine to an address that the project chooses. */
function loginLines(oauth: OAuthSettings | null): readonly string[] {
  if (oauth === null) return [];
  const { algorithm: _, ...settings } = oauth;
  const texts = Object.entries(settings).flatMap(([key, value]) =>
    typeof value === "string" ? [`login: ${key}=${shownWord(value)}`] : [],
  );
  return oauth.isMachine ? [...texts, "login: without you"] : texts;
}

const choices = ["None of them", "All of them", "One after the other"] as const;

export async function askConsents(
  consents: readonly Consent[],
  user: ServersUser,
  trust: TrustStore,
): Promise<void> {
  for (const group of groups(consents)) {
    const decided = group.length > 1 ? await askForAll(group, user) : null;
    for (const consent of group) {
      await trust.decide(consent, decided ?? (await askForOne(consent, user)));
    }
  }
}

/** Groups the servers of one project's file; every other consent is a group of its own. */
function groups(consents: readonly Consent[]): readonly (readonly Consent[])[] {
  const byFile = new Map<string, Consent[]>();
  for (const [index, consent] of consents.entries()) {
    const { project, from } = consent.server;
    const key = project === null || consent.word !== null ? `${index}` : `file ${from}`;
    byFile.set(key, [...(byFile.get(key) ?? []), consent]);
  }
  return [...byFile.values()];
}

/** Null: ask about each one. Closing the question declines all. */
async function askForAll(group: readonly Consent[], user: ServersUser): Promise<boolean | null> {
  const from = group[0]?.server.from ?? "";
  const picked = await user.select(
    {
      prompt: `This project has ${group.length} MCP servers in ${from}. Start:`,
      details: group.flatMap(({ question }) => [...question.split("\n"), ""]),
      items: choices,
    },
    new AbortController().signal,
  );
  return picked === 2 ? null : picked === 1;
}

async function askForOne({ question, word }: Consent, user: ServersUser): Promise<boolean> {
  if (word === null) return user.confirm(question);
  const prompt = `${question} Type ${word} to send it anyway: `;
  const typed = await user.input(prompt, "", new AbortController().signal);
  return typed?.trim() === word;
}
