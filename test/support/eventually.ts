/** Waiting for what comes in its own time. */
import { vi } from "vitest";

/**
 * Waits until `check` throws no more, and gives what it gives. Its patience is that of a test and not Vitest's second:
 * on a busy machine a process takes longer than that to start. `intervalMs`: how far fake timers go between two looks.
 */
export function eventually<T>(check: () => T | Promise<T>, intervalMs = 20): Promise<T> {
  return vi.waitFor(check, { timeout: 30_000, interval: intervalMs });
}
