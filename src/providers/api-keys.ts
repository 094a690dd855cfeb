/** API keys: from the configuration as a text or a command, else from the environment. */
import type { Failure } from "../conversation/ports.ts";
import type { ProviderConfiguration } from "../conversation/settings/vendor-settings.ts";
import { commandFailure, outputOfCommand } from "../system/commands.ts";
import { missingKey } from "./failures/failures.ts";
import { redact } from "./failures/redact.ts";
import type { Vendor } from "./vendors/vendor.ts";

export interface ApiKey {
  /** Null: the server needs none. */
  readonly key: string | null;
  /** Where it came from, in words that show nothing of it. */
  readonly source: string;
}

export interface Keyring {
  /** The vendor's key, or why there is none. A command runs once for the life of the process. */
  find(vendor: Vendor): Promise<ApiKey | { readonly failure: Failure }>;
  /** The key was refused: a command is asked again the next time. */
  forget(vendor: Vendor): void;
}

const commandTimeoutMs = 10_000;

export function createKeyring(
  providers: Readonly<Record<string, ProviderConfiguration>>,
  environment: Readonly<Record<string, string | undefined>>,
): Keyring {
  const asked = new Map<string, Promise<ApiKey | { readonly failure: Failure }>>();
  return {
    async find(vendor) {
      const configured = providers[vendor.id]?.api_key;
      if (typeof configured === "string" && configured.trim() !== "") {
        return { key: configured.trim(), source: `providers.${vendor.id}.api_key` };
      }
      if (typeof configured === "object" && configured.length > 0) {
        const running = asked.get(vendor.id) ?? askCommand(vendor, configured, environment);
        asked.set(vendor.id, running);
        const found = await running;
        if ("failure" in found) asked.delete(vendor.id);
        return found;
      }
      const key = environment[vendor.keyVariable]?.trim();
      if (key) return { key, source: vendor.keyVariable };
      return vendor.needsKey ? { failure: missingKey(vendor) } : { key: null, source: "nowhere" };
    },
    forget(vendor) {
      asked.delete(vendor.id);
    },
  };
}

async function askCommand(
  vendor: Vendor,
  [command = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ApiKey | { readonly failure: Failure }> {
  const source = `the command in providers.${vendor.id}.api_key`;
  const options = { timeoutMs: commandTimeoutMs, env: { ...environment } };
  const { outcome, stdout, stderr } = await outputOfCommand(command, args, options);
  const key = stdout.split("\n", 1)[0]?.trim() ?? "";
  const isDone = outcome.type === "ended" && outcome.code === 0;
  if (isDone && key !== "") return { key, source };
  const reason = isDone
    ? "printed nothing on its first line"
    : commandFailure(outcome, commandTimeoutMs, saidOf(stderr, stdout));
  return {
    failure: {
      kind: "missing-key",
      message: `There is no API key for ${vendor.label}: “${command}”, ${source}, ${reason}. Repair the command, and respond again.`,
    },
  };
}

/** What the command said went wrong; never what it printed as the key. */
function saidOf(stderr: string, stdout: string): string {
  const printed = stdout.split(/\s+/).filter((word) => word.length > 3);
  return redact(stderr.trim().split("\n").at(-1)?.trim() ?? "", printed);
}
