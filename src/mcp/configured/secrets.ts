/** Finds and hides secrets that a server was given: its stderr and messages may repeat them. */
import { secretName, withoutSecretTexts } from "../../shared/secrets.ts";
import type { ServerConfiguration } from "./launch-configuration.ts";

/** Prefixes of the keys of known services. */
const secretValue = /^(sk-|gh[a-z]_|github_pat_|xox[a-z]-|AKIA|eyJ|glpat-)/;
export const hidden = "[hidden]";

/** An argument as the text before, in and after its secret, found by the option before it or by its own form. */
type SecretWord = readonly [before: string, secret: string, behind: string];

function secretWords(args: readonly string[]): readonly SecretWord[] {
  return args.map((arg, index): SecretWord => {
    const flag = args[index - 1] ?? "";
    const isValue = flag.startsWith("-") && !flag.includes("=") && !arg.startsWith("-");
    // An unexpanded variable is not a secret itself.
    if (arg.startsWith("$" + "{")) return [arg, "", ""];
    if ((isValue && secretName.test(flag)) || secretValue.test(arg)) return ["", arg, ""];
    const [, name = ""] = /^([^\s=:/]+)\s*[=:]/.exec(arg) ?? [];
    if (secretName.test(name)) {
      return [arg.slice(0, name.length + 1), arg.slice(name.length + 1), ""];
    }
    const [, before = arg, login = "", behind = ""] = /^(.*?\/\/)([^/@\s]+)(@.*)$/s.exec(arg) ?? [];
    return [before, login, behind];
  });
}

/** The arguments of a command, safe to show. */
export function shownArguments(args: readonly string[]): readonly string[] {
  return secretWords(args).map(([before, secret, behind]) =>
    secret === "" ? before + behind : before + hidden + behind,
  );
}

/** In characters; a shorter value is an ordinary word like `true`. */
const shortestSecret = 6;

function longEnough(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.length >= shortestSecret);
}

/** Variables whose values occur in ordinary text: folders, names, log levels. */
const plainName =
  /^(?:path|home|user|username|userprofile|logname|shell|pwd|te?mp|tmpdir|(?:local)?appdata|lang|tz|node_env|\w*log_?level)$/i;

/** Values of variables, headers or parameters that may be secret, one per line of a value. */
function secretValues(
  entries: Iterable<readonly [name: string, value: string | undefined]>,
): readonly string[] {
  const named = [...entries].filter(([name]) => !plainName.test(name));
  return longEnough(named.flatMap(([, value]) => value?.split(/\r?\n/) ?? []));
}

/** Everything possibly secret in this server's configuration. */
export function secretsGiven(configuration: ServerConfiguration): readonly string[] {
  if ("url" in configuration) {
    const { url, headers = {} } = configuration;
    const values = secretValues(Object.entries(headers));
    return [...values, ...longEnough(values.map(withoutScheme)), ...secretValues(url.searchParams)];
  }
  const { env = {}, envPass = [], args = [] } = configuration;
  const passed = envPass.map((name) => [name, process.env[name]] as const);
  const words = secretWords(args).flatMap(([, secret]) => [secret.trim(), withoutScheme(secret)]);
  return [...secretValues([...Object.entries(env), ...passed]), ...longEnough(words)];
}

/** The part of `Bearer TOKEN` or `USER:TOKEN` that is secret on its own. */
function withoutScheme(value: string): string {
  return value.trim().replace(/^(?:\S+\s+|[^\s:]+:)/, "");
}

/** In characters; a shorter value may occur in a result by chance. */
const shortestKey = 12;

/**
 * The values that are certainly secret, by name or form. All others, such as addresses and folders, are what results
 * are often about, so they stay as they are.
 */
export function keysGiven(configuration: ServerConfiguration): readonly string[] {
  return namedValues(configuration).flatMap(([name, value]) =>
    (value ?? "").split(/\r?\n/).flatMap((line) => keysIn(name, line.trim())),
  );
}

function namedValues(
  configuration: ServerConfiguration,
): readonly (readonly [name: string, value: string | undefined])[] {
  if ("url" in configuration) {
    return [...Object.entries(configuration.headers ?? {}), ...configuration.url.searchParams];
  }
  const { env = {}, envPass = [], args = [] } = configuration;
  const words = secretWords(args).map(([before, secret, behind], index) =>
    behind === ""
      ? ([before || (args[index - 1] ?? ""), secret] as const)
      : (["", before + secret + behind] as const),
  );
  return [
    ...Object.entries(env),
    ...envPass.map((name) => [name, process.env[name]] as const),
    ...words,
  ];
}

/** Parts of names that match `secretName` by chance. */
const otherWords = /author(?!i)|key(?:board|cloak|map|space|stroke|word)|monkey|tokeni[sz]/gi;
/** A name with this ending describes a key but does not hold one: `AUTH_METHOD`, `API_KEY_HEADER`, `auth-user`. */
const describes =
  /(?:algorithm|audience|domain|email|format|header|issuer|layout|method|name|prefix|provider|realm|region|roles?|scopes?|type|user|version)[=:]?$/i;

function keysIn(name: string, line: string): readonly string[] {
  const [login, user, password] = /(?<=\/\/)([^/@\s:]*):([^/@\s]+)(?=@)/.exec(line) ?? [];
  // A pair such as `root:root` is no secret: it occurs in file listings of any machine.
  if (login !== undefined) return user === password ? [] : longEnough([login]);
  const isPlace = /^(?:\w+:\/\/|[~.]*\/|[a-z]:\\)/i.test(line);
  const key = withoutScheme(line);
  const isNamed = secretName.test(name.replace(otherWords, "")) && !describes.test(name);
  if (isPlace || !(isNamed || secretValue.test(key))) return [];
  return [line, key].filter(({ length }) => length >= shortestKey);
}

/** Hides keys in a server's response before models and chats get it. */
export function withoutKeys(text: string, keys: Iterable<string>): string {
  return withoutSecretTexts(text, keys, hidden);
}

/** Hides these secrets, and the logins in addresses, such as a proxy's. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  return withoutSecretTexts(text, secrets, hidden).replace(/\/\/[^/@\s]+@/g, `//${hidden}@`);
}
