/** One row of the vendor table. */
import type { WireApiName } from "../conversation/vendor-settings.ts";
import type { Compat } from "./compat.ts";

/** A tool that the vendor runs itself. */
export interface ServerTool {
  /** The API that offers it. */
  readonly api: WireApiName;
  /** Its `type` on the wire. */
  readonly type: string;
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
  readonly baseUrl: string;
  /** Environment variables. */
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  /** False for servers that may do without. */
  readonly needsKey: boolean;
  readonly compat: Compat;
  /** By the names that `server_tools` takes. */
  readonly serverTools: Readonly<Record<string, ServerTool>>;
  /** Models known by name, for choosing; any other id is passed on as it is. */
  readonly models: readonly string[];
}
