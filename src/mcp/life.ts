import type { Connection } from "./connection.ts";
import type { Offers } from "./offers.ts";
import type { ToolList } from "./tool-list.ts";

/** From one start of the process to its end. */
export interface Life {
  readonly connection: Promise<Connection>;
  readonly abort: AbortController;
  /** Null until the process is about to be started. */
  startedAt: number | null;
  isReady: boolean;
  offers: Offers | null;
  /** Null until asked for, and again when the server says that its tools changed. */
  tools: Promise<ToolList> | null;
  readonly relist: () => void;
}
