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
  /** As configured. */
  readonly vendor: Vendor;
  readonly api: WireApiName;
  /** Null: the server needs no key. */
  readonly apiKey: string | null;
  /** Describes where the key came from and reveals nothing of it. */
  readonly keySource: string;
  /** Without query parameters. */
  readonly baseUrl: string;
  readonly extras: RequestExtras;
  /** For Claude in a cloud; absent: the vendor's own address. */
  readonly cloud?: Cloud;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeouts: Timeouts;
  /** The request is sent once this is fulfilled, and never if it is rejected; absent: sent at once. */
  readonly ready?: Promise<unknown>;
  /** Stores what an answer reveals about the model; absent: nothing is stored. */
  readonly learn?: (lesson: Lesson) => void;
  /** Replaces the network; absent: requests are sent. */
  readonly send?: (url: string, request: HttpRequest) => Promise<HttpResponse>;
}

/** How to reach a cloud, as configured. */
export interface Cloud {
  readonly name: CloudName;
  /** The folder whose `node_modules` has the package. */
  readonly folder: string;
  readonly region: string | null;
  readonly project: string | null;
  /** As written; null: the package's default. */
  readonly baseUrl: string | null;
}

/** In milliseconds without a byte from the provider. */
export interface Timeouts {
  /** Until the first byte of the answer; models that think first are silent for a long time. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer; keep-alive lines count as pieces. */
  readonly idleMs: number;
  /** From the provider's last event until the connection closes. */
  readonly closingMs: number;
  /**
   * After a finish reason that came alone, until `[DONE]`, usage, or more of the answer; some servers send nothing
   * more and stay connected (maximhq/bifrost#6784). A reason next to a piece of the answer does not end it: some
   * servers send one with every piece, or with a call before another that takes a minute (BerriAI/litellm#31634).
   */
  readonly afterReasonMs: number;
}

export const defaultTimeouts: Timeouts = {
  firstByteMs: 300_000,
  idleMs: 120_000,
  closingMs: 5_000,
  afterReasonMs: 10_000,
};
