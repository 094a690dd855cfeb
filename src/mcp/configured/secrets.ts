/** What a server was given that may be secret: its own words, on stderr and in messages, may hold it. */
import { secretName, withoutSecretTexts } from "../../shared/secrets.ts";
import type { ServerConfiguration } from "./launch-configuration.ts";

/** Beginnings that keys of known services have. */
const secretValue = /^(sk-|gh[a-z]_|github_pat_|xox[a-z]-|AKIA|eyJ|glpat-)/;
export const hidden = "[hidden]";

/** A word of a command, before, in and behind what may be secret of it; by the name before it, or by its form. */
type SecretWord = readonly [before: string, secret: string, behind: string];

function secretWords(args: readonly string[]): readonly SecretWord[] {
  return args.map((arg, index): SecretWord => {
    const flag = args[index - 1] ?? "";
    const isValue = flag.startsWith("-") && !flag.includes("=") && !arg.startsWith("-");
    // A variable, as it was written.
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

/** The words of a command as they may be shown. */
export function shownArguments(args: readonly string[]): readonly string[] {
  return secretWords(args).map(([before, secret, behind]) =>
    secret === "" ? before + behind : before + hidden + behind,
  );
}

/** In characters; what is shorter is a word like `true`. */
const shortestSecret = 6;

function longEnough(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.length >= shortestSecret);
}

/** Variables whose values are words of honest sentences: folders, names, levels. */
const plainName =
  /^(?:path|home|user|username|userprofile|logname|shell|pwd|te?mp|tmpdir|(?:local)?appdata|lang|tz|node_env|\w*log_?level)$/i;

/** Values of variables, headers or parameters, line by line, which may be secrets. */
function secretValues(
  entries: Iterable<readonly [name: string, value: string | undefined]>,
): readonly string[] {
  const named = [...entries].filter(([name]) => !plainName.test(name));
  return longEnough(named.flatMap(([, value]) => value?.split(/\r?\n/) ?? []));
}

/** What a server was given, and others were not. */
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

/** `Bearer TOKEN` and `USER:TOKEN` hold one by themselves. */
function withoutScheme(value: string): string {
  return value.trim().replace(/^(?:\S+\s+|[^\s:]+:)/, "");
}

/** In characters; what is shorter may be a word of a result that has nothing to do with it. */
const shortestKey = 12;

/**
 * What of it is surely a secret, by its name or its form: results are often about the rest, as an address or a folder,
 * and stay as they are.
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

/** Words that only look like those of `secretName`. */
const otherWords = /author(?!i)|key(?:board|cloak|map|space|stroke|word)|monkey|tokeni[sz]/gi;
/** A name that ends so says something about a key: `AUTH_METHOD`, `API_KEY_HEADER`, `auth-user`. */
const describes =
  /(?:algorithm|audience|domain|email|format|header|issuer|layout|method|name|prefix|provider|realm|region|roles?|scopes?|type|user|version)[=:]?$/i;

function keysIn(name: string, line: string): readonly string[] {
  const [login, user, password] = /(?<=\/\/)([^/@\s:]*):([^/@\s]+)(?=@)/.exec(line) ?? [];
  // `root:root` is in the lists of files of any machine.
  if (login !== undefined) return user === password ? [] : longEnough([login]);
  const isPlace = /^(?:\w+:\/\/|[~.]*\/|[a-z]:\\)/i.test(line);
  const key = withoutScheme(line);
  const isNamed = secretName.test(name.replace(otherWords, "")) && !describes.test(name);
  if (isPlace || !(isNamed || secretValue.test(key))) return [];
  return [line, key].filter(({ length }) => length >= shortestKey);
}

/** What a server answers, for models and chats. */
export function withoutKeys(text: string, keys: Iterable<string>): string {
  return withoutSecretTexts(text, keys, hidden);
}

/** Without them, and without the logins of addresses, as of a proxy. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  return withoutSecretTexts(text, secrets, hidden).replace(/\/\/[^/@\s]+@/g, `//${hidden}@`);
}
