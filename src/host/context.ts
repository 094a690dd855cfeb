/** What the parts of the host need of each other. */
import type { OwnKeys } from "../conversation/keys.ts";
import type { Lua } from "./lua.ts";
import type { QuestionOptions } from "./questions.ts";

export interface HostContext {
  readonly lua: Lua;
  /** The text chosen or typed, `true` for a yes; null when the person cancelled. */
  ask(question: QuestionOptions, signal?: AbortSignal): Promise<unknown>;
  /** The keys of a chat as the person has them now. */
  ownKeys(): OwnKeys;
  notify(level: "info" | "warn" | "error", message: string): void;
}
