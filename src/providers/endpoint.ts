/** What a wire API needs to reach its vendor. */
import type {
  CloudName,
  RequestExtras,
  WireApiName,
} from "../conversation/settings/vendor-settings.ts";
import type { HttpRequest, HttpResponse } from "../net/lasting-fetch.ts";
import type { Lesson } from "./learning/lessons.ts";
import type { Vendor } from "./vendors/vendor.ts";

export interface Endpoint {
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
  /** For Claude in a cloud; left out: the vendor's own address. */
  readonly cloud?: Cloud;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeouts: Timeouts;
  /** A request leaves when this is fulfilled, and not when it is rejected; at once when left out. */
  readonly ready?: Promise<unknown>;
  /** Keeps what an answer shows about the model; left out: nothing is kept. */
  readonly learn?: (lesson: Lesson) => void;
  /** What takes requests in place of the network; left out: they are sent. */
  readonly send?: (url: string, request: HttpRequest) => Promise<HttpResponse>;
}

/** How a cloud is reached, as it is configured. */
export interface Cloud {
  readonly name: CloudName;
  /** Where `node_modules` with the package lies. */
  readonly folder: string;
  readonly region: string | null;
  readonly project: string | null;
  /** As written; null: the package's own. */
  readonly baseUrl: string | null;
}

/** In milliseconds, without a byte from the provider. */
export interface Timeouts {
  /** Until the first byte of the answer; models that think first are silent for long. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer; keep-alive lines count as pieces. */
  readonly idleMs: number;
  /**
   * After the provider's last word, until the connection closes. The reason for the end is none: some say one with every
   * piece, or before a call that takes a minute (BerriAI/litellm#31634).
   */
  readonly closingMs: number;
}

export const defaultTimeouts: Timeouts = {
  firstByteMs: 300_000,
  idleMs: 120_000,
  closingMs: 5_000,
};
