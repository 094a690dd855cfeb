/** What the parts of the host share, passed on as one value. */
import type { App } from "../app/app.ts";
import type { OwnKeys } from "../conversation/keys.ts";
import type { Lua } from "./lua.ts";
import type { QuestionOptions } from "./lua-calls.ts";

/** How the host reaches the user, available as soon as there is a connection. */
export interface HostContext {
  readonly lua: Lua;
  /** Resolves with the text chosen or typed, or `true` for an approval; null when the user cancelled. */
  ask(question: QuestionOptions, signal?: AbortSignal): Promise<unknown>;
  /** The keys of a chat as the user has mapped them. */
  ownKeys(): OwnKeys;
  /** `buf`: the chat that the message is about; it is named if it is in no window. */
  notify(level: "info" | "warn" | "error", message: string, buf?: number): void;
}

/** The host after `setup`: commands that need no chat act on it. Those of a chat find it in `chat.host`. */
export interface OpenHost extends HostContext {
  readonly app: App;
  /** Applies config.json, which was written in this Neovim. */
  configurationSaved(): Promise<void>;
  /** Applies config.json if it is not as it was read last. */
  lookAtConfiguration(): Promise<void>;
  /** The user does something: memory is not tidied up for the next seconds. */
  isUsed(): void;
}
