/** What the pages of both formats say in the same words. */
import type { SharedCall } from "./shared-chat.ts";

/** Addresses of images (`data:…`) by their plain names. */
export type ImageAddresses = ReadonlyMap<string, string>;

export const statusWords: Readonly<Record<SharedCall["status"], string>> = {
  ok: "done",
  error: "failed",
  declined: "declined",
  cancelled: "cancelled",
  timeout: "timed out",
  waiting: "no result",
};
