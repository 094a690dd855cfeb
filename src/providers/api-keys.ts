/** Finds API keys: in the configuration, as a text or a command, or else in the environment. */
import type { Failure } from "../conversation/ports.ts";
import type { ProviderConfiguration } from "../conversation/settings/vendor-settings.ts";
import { withoutEnd } from "../shared/without-end.ts";
import { commandFailure, outputOfCommand } from "../system/commands.ts";
import { missingKey } from "./failures/failure-sentence.ts";
import { redact } from "./failures/redact.ts";
import { type RouteSources, vendorAddress } from "./route.ts";
import type { Vendor } from "./vendors/vendor.ts";

export interface ApiKey {
  /** Null: the server needs no key. */
  readonly key: string | null;
  /** Describes where it came from and reveals nothing of it. */
  readonly source: string;
}

export interface Keyring {
  /** Returns the vendor's key, or why there is none. A command runs once, until its key is refused. */
  find(vendor: Vendor): Promise<ApiKey | { readonly failure: Failure }>;
  /** Whether a key from a command is cached; it may have expired, as tokens do after an hour. */
  keeps(vendor: Vendor): boolean;
  /** Reports that this key was refused: a command that printed it runs again the next time. */
  forget(vendor: Vendor, refused: string | null): void;
}

const commandTimeoutMs = 10_000;

/** A command that is running or has run. */
interface Asked {
  readonly running: Promise<ApiKey | { readonly failure: Failure }>;
  /** Null until the command has printed it. */
  key: string | null;
}

export function createKeyring(
  providers: Readonly<Record<string, ProviderConfiguration>>,
  environment: Readonly<Record<string, string | undefined>>,
): Keyring {
  const asked = new Map<string, Asked>();
  return {
    async find(vendor) {
      const isVendors = vendor.needsKey && isAtVendor(vendor, providers[vendor.id], environment);
      const check: Check = (key, source) => checked(vendor, { key, source }, isVendors);
      const configured = providers[vendor.id]?.api_key;
      if (typeof configured === "string" && configured.trim() !== "") {
        return check(configured.trim(), `providers.${vendor.id}.api_key`);
      }
      if (typeof configured === "object" && configured.length > 0) {
        const one = asked.get(vendor.id) ?? {
          running: askCommand(vendor, configured, { environment, check }),
          key: null,
        };
        asked.set(vendor.id, one);
        const found = await one.running;
        if ("failure" in found) asked.delete(vendor.id);
        else one.key = found.key;
        return found;
      }
      const key = environment[vendor.keyVariable]?.trim();
      if (key) return check(key, vendor.keyVariable);
      return vendor.needsKey ? { failure: missingKey(vendor) } : { key: null, source: "nowhere" };
    },
    keeps: (vendor) => asked.has(vendor.id),
    forget(vendor, refused) {
      // Of concurrent requests, the first one makes the command run again, and the others use its new key.
      if (asked.get(vendor.id)?.key === refused) asked.delete(vendor.id);
    },
  };
}

/** Signs that a text is not a key, and what was probably meant. */
const oddities: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /^\$|^\{?env:/i,
    "is the name of a variable; Parley reads the vendor's variable without this setting",
  ],
  [/^["'`]/, "is in quotation marks"],
  [/^bearer\s/i, "begins with “Bearer”, which Parley adds itself"],
  // Headers cannot contain such characters, and the resulting error would show the key.
  [/[^\x20-\x7e]/, "has a character that no key has, most likely from copying"],
];

/** Only for the vendor's own server: a self-hosted one accepts texts such as `not needed`. */
const oddAtVendors: typeof oddities = [
  [/ /, "has a space in it. Write a command as a list of words"],
];

/** False for a self-hosted server under the vendor's name, and for a gateway. */
function isAtVendor(
  vendor: Vendor,
  settings: ProviderConfiguration | undefined,
  environment: RouteSources["environment"],
): boolean {
  return vendorAddress(vendor, settings, environment) === vendorAddress(vendor, undefined, {});
}

type Check = (key: string, source: string) => ApiKey | { readonly failure: Failure };

/** Returns the key if it looks like one, or else a failure that reveals nothing of it. */
function checked(
  vendor: Vendor,
  { key, source }: { readonly key: string; readonly source: string },
  isVendors: boolean,
): ApiKey | { readonly failure: Failure } {
  const rows = isVendors ? [...oddities, ...oddAtVendors] : oddities;
  const odd = rows.find(([pattern]) => pattern.test(key))?.[1];
  if (odd === undefined) return { key, source };
  const about = `The API key for ${vendor.label}`;
  const message = `${about} from ${source} cannot be right: it ${odd}. Correct it there, and respond again.`;
  const happened = `${about} cannot be right: it ${odd}`;
  return { failure: { kind: "missing-key", message, happened } };
}

async function askCommand(
  vendor: Vendor,
  [command = "", ...args]: readonly string[],
  {
    environment,
    check,
  }: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly check: Check;
  },
): Promise<ApiKey | { readonly failure: Failure }> {
  const source = `the command in providers.${vendor.id}.api_key`;
  const options = { timeoutMs: commandTimeoutMs, env: { ...environment } };
  const { outcome, stdout, stderr } = await outputOfCommand(command, args, options);
  const key = stdout.split("\n", 1)[0]?.trim() ?? "";
  const isDone = outcome.type === "ended" && outcome.code === 0;
  if (isDone && key !== "") return check(key, source);
  const said = saidOf(stderr, stdout);
  const reason = isDone
    ? `printed nothing on its first line${said === "" ? "" : ` and said: ${withoutEnd(said, ".")}`}`
    : commandFailure(outcome, commandTimeoutMs, said);
  const isLine = outcome.type === "missing" && /\s/.test(command);
  const next = isLine ? "Write each word of it as one of the list" : "Repair the command";
  return {
    failure: {
      kind: "missing-key",
      message: `There is no API key for ${vendor.label}: “${command}”, ${source}, ${reason}. ${next}, and respond again.`,
    },
  };
}

/** The command's error message, without anything that it printed as the key. */
function saidOf(stderr: string, stdout: string): string {
  const printed = stdout.split(/\s+/).filter((word) => word.length > 3);
  return redact(stderr.trim().split("\n").at(-1)?.trim() ?? "", printed);
}
