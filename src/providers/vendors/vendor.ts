/** One row of the vendor table. */
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import type { Compat } from "./compat.ts";

/** A tool that the vendor runs itself. */
export interface ServerTool {
  /** The API that has it. */
  readonly api: WireApiName;
  /** Its `type` on the wire. */
  readonly type: string;
  /** Parameters that are always sent with it. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The field for the ids of what it searches, which the user writes as `NAME:ID`; the tool needs at least one. */
  readonly idsField?: string;
}

/** The tool that an entry of `server_tools` means: `file_search` for `file_search:vs_1`. */
export function serverToolName(word: string): string {
  return word.replace(/:.*$/s, "");
}

export interface Vendor {
  /** The part of a model's name before the slash, and the key under `providers` in the configuration. */
  readonly id: string;
  /** The name for people. */
  readonly label: string;
  /** The first one is the default. */
  readonly apis: readonly [WireApiName, ...WireApiName[]];
  /** Models that only one of the other APIs has. */
  readonly apiOfModels?: readonly (readonly [models: RegExp, api: WireApiName])[];
  /** The API to use at the vendor's own address, except for some models; gateways may not have it. */
  readonly ownAddress?: {
    readonly host: RegExp;
    readonly api: WireApiName;
    readonly except: RegExp;
  };
  readonly baseUrl: string;
  /** Environment variables. */
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  /** False for servers that may work without a key. */
  readonly needsKey: boolean;
  /** The command that starts the server, if it runs on the user's machine. */
  readonly startCommand?: string;
  readonly compat: Compat;
  /** Keyed by the names in `server_tools`. */
  readonly serverTools: Readonly<Record<string, ServerTool>>;
  /** Known models, offered for choosing; any other id is passed on unchanged. */
  readonly models: readonly string[];
}

/** Headers that SDKs read from the environment on their own, often a gateway's token: each is for one vendor only. */
export const headerVariables = {
  openai: "OPENAI_CUSTOM_HEADERS",
  anthropic: "ANTHROPIC_CUSTOM_HEADERS",
};

/** Vendors' keys that Parley does not use, but that may be in the environment for the vendors' other programs. */
export const otherKeyVariables: readonly string[] = ["OPENAI_ADMIN_KEY", "ANTHROPIC_AUTH_TOKEN"];
