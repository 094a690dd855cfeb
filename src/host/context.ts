/** What the parts of the host need of each other. */
import type { KeyNames } from "../conversation/call-view.ts";
import type { Lua } from "./lua.ts";
import type { QuestionOptions } from "./questions.ts";

export interface HostContext {
  readonly lua: Lua;
  /** The text chosen or typed, `true` for a yes; null when the person cancelled. */
  ask(question: QuestionOptions, signal?: AbortSignal): Promise<unknown>;
  /** The approval keys as they are typed, where they are not those of the records. */
  keyNames(): KeyNames;
  /** The key of respond, or the command when it has none. */
  respondKey(): string;
  notify(level: "info" | "warn" | "error", message: string): void;
}
