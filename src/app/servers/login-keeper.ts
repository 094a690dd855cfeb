/** Keeps logins of MCP servers in a keychain, through commands of the user that read and write them. */

import { sha256 } from "../../shared/hash.ts";
import { withoutSecretTexts } from "../../shared/secrets.ts";
import { commandFailure, outputOfCommand } from "../../system/commands.ts";
import { serverPlaceholder } from "../configuration/option-groups.ts";

/** Lists of words, run without a shell; `{server}` in them is replaced by the name of one login. */
export interface LoginCommands {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Absent: logging out overwrites the login with an empty one. */
  readonly clear?: readonly string[];
}

/** Texts by server address. All functions reject with a sentence that says what failed, without any of the text. */
export interface LoginKeeper {
  read(server: string): Promise<string>;
  /** Reads the text back: a keychain that truncates what it keeps is found now, and not when the login is needed. */
  write(server: string, text: string): Promise<void>;
  clear(server: string): Promise<void>;
  /** The program that keeps the logins, for messages. */
  readonly name: string;
}

/** In milliseconds: the user may have to unlock the keychain first. */
const timeoutMs = 60_000;

export function createLoginKeeper(
  commands: LoginCommands,
  environment: Readonly<Record<string, string | undefined>>,
): LoginKeeper {
  const run = async (
    what: keyof LoginCommands,
    server: string,
    words: readonly string[],
    input = "",
  ): Promise<string> => {
    const name = entryName(server);
    const [program = "", ...args] = words.map((word) => word.replaceAll(serverPlaceholder, name));
    const options = { timeoutMs, env: { ...environment }, input };
    const { outcome, stdout, stderr } = await outputOfCommand(program, args, options);
    if (outcome.type === "ended" && outcome.code === 0) return stdout;
    const last = stderr.trim().split("\n").at(-1)?.trim() ?? "";
    const said = withoutSecretTexts(last, secretsIn(input + stdout), "[secret]");
    throw new Error(
      `${sentences[what]}: “${program}” of login_commands.${what} ${commandFailure(outcome, timeoutMs, said)}.`,
    );
  };
  return {
    name: commands.read[0] ?? "",
    read: async (server) => (await run("read", server, commands.read)).trim(),
    async write(server, text) {
      const line = asLine(text);
      await run("write", server, commands.write, line);
      const kept = await run("read", server, commands.read);
      if (kept.trim() !== line) {
        throw new Error(
          `${sentences.write}: login_commands.read does not return what login_commands.write stored (${line.length} characters); see :help parley-login-commands.`,
        );
      }
    },
    async clear(server) {
      if (commands.clear) await run("clear", server, commands.clear);
      else await run("write", server, commands.write, asLine("null"));
    },
  };
}

const sentences: Record<keyof LoginCommands, string> = {
  read: "Its login could not be read from your keychain",
  write: "Its login could not be kept in your keychain",
  clear: "Its login is forgotten here, but not in your keychain",
};

/** The name of the login in the keychain, safe to use in a path, as an argument or in a shell. */
export function entryName(server: string): string {
  const host = URL.canParse(server) ? new URL(server).host : "server";
  const plain = host.replaceAll(/[^A-Za-z0-9.-]/g, "-").replace(/^[.-]+/, "");
  return `${plain}-${sha256(server).slice(0, 8)}`;
}

/** One line of ASCII, since keychains and consoles have encodings of their own. */
function asLine(json: string): string {
  return json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The longer words of the text; nothing else that a program may repeat of it is a secret. */
function secretsIn(text: string): readonly string[] {
  return text.split(/["\s]+/).filter((word) => word.length > 7);
}
