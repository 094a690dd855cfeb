/** What a wire API needs to reach its vendor. */
import type { RequestExtras, WireApiName } from "../conversation/settings/vendor-settings.ts";
import type { Vendor } from "./vendors/vendor.ts";

export interface Connection {
  /** As it is configured. */
  readonly vendor: Vendor;
  readonly api: WireApiName;
  /** Null: the server needs none. */
  readonly apiKey: string | null;
  /** Where the key came from, in words that show nothing of it. */
  readonly keySource: string;
  /** Without parameters. */
  readonly baseUrl: string;
  readonly extras: RequestExtras;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeouts: Timeouts;
}

/** In milliseconds, without a byte from the provider. */
export interface Timeouts {
  /** Until the first byte of the answer; models that think first are silent for long. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer; keep-alive lines count as pieces. */
  readonly idleMs: number;
  /** After the reason for the end is known, until the connection closes. */
  readonly closingMs: number;
}

export const defaultTimeouts: Timeouts = {
  firstByteMs: 300_000,
  idleMs: 120_000,
  closingMs: 5_000,
};
