/** What the parts of the host share: one value, given on whole. */
import type { App } from "../app/app.ts";
import type { OwnKeys } from "../conversation/keys.ts";
import type { Lua, QuestionOptions } from "./lua.ts";

/** How the host speaks to the person, as soon as there is a connection. */
export interface HostContext {
  readonly lua: Lua;
  /** The text chosen or typed, `true` for a yes; null when the person cancelled. */
  ask(question: QuestionOptions, signal?: AbortSignal): Promise<unknown>;
  /** The keys of a chat as the person has them now. */
  ownKeys(): OwnKeys;
  /** `buf`: of which chat it speaks; one that is in no window is named. */
  notify(level: "info" | "warn" | "error", message: string, buf?: number): void;
}

/** The host when `setup` was told: what commands that need no chat act on. Those of a chat find it in `chat.host`. */
export interface OpenHost extends HostContext {
  readonly app: App;
}
