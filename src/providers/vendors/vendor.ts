/** One row of the vendor table. */
import type { WireApiName } from "../../conversation/settings/vendor-settings.ts";
import type { Compat } from "./compat.ts";

/** A tool that the vendor runs itself. */
export interface ServerTool {
  /** The API that offers it. */
  readonly api: WireApiName;
  /** Its `type` on the wire. */
  readonly type: string;
  /** What goes with it always. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The field for what it searches, named by the person as `NAME:ID`; such a tool is nothing without one. */
  readonly idsField?: string;
}

/** The tool that a word of `server_tools` means: `file_search` of `file_search:vs_1`. */
export function serverToolName(word: string): string {
  return word.replace(/:.*$/s, "");
}

export interface Vendor {
  /** The part of a model's name before the slash, and the key under `providers` in the configuration. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  /** The first is the default. */
  readonly apis: readonly [WireApiName, ...WireApiName[]];
  /** Models that only another of the APIs offers. */
  readonly apiOfModels?: readonly (readonly [models: RegExp, api: WireApiName])[];
  /** The API of the vendor's own address, which gateways in front of it need not have, but for some models. */
  readonly ownAddress?: {
    readonly host: RegExp;
    readonly api: WireApiName;
    readonly except: RegExp;
  };
  readonly baseUrl: string;
  /** Environment variables. */
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  /** False for servers that may do without. */
  readonly needsKey: boolean;
  /** What starts the server, where it runs on the person's machine. */
  readonly startCommand?: string;
  readonly compat: Compat;
  /** By the names that `server_tools` takes. */
  readonly serverTools: Readonly<Record<string, ServerTool>>;
  /** Models known by name, for choosing; any other id is passed on as it is. */
  readonly models: readonly string[];
}

/** Headers that SDKs take from the environment by themselves, often the token of a gateway: for one vendor alone. */
export const headerVariables = {
  openai: "OPENAI_CUSTOM_HEADERS",
  anthropic: "ANTHROPIC_CUSTOM_HEADERS",
};

/** Keys of vendors that are not asked with, and are in the environment for other programs of theirs. */
export const otherKeyVariables: readonly string[] = ["OPENAI_ADMIN_KEY", "ANTHROPIC_AUTH_TOKEN"];
