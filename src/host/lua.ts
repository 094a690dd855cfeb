/** Neovim as the host uses it: the calls of `lua-calls.ts`, and the changes of buffers that are followed, in order. */
import type { NeovimClient } from "neovim";
import type * as z from "zod";
import { type LuaAnswer, type LuaCalls, luaCalls } from "./lua-calls.ts";

export interface Lua {
  /** Calls a Lua function by name; rejects with Neovim's message when it throws or the channel is closed. */
  call<Name extends keyof LuaCalls>(
    name: Name,
    parameters: Readonly<z.input<LuaCalls[Name]["parameters"]>>,
  ): Promise<LuaAnswer<Name>>;
  request(method: string, parameters: readonly unknown[]): Promise<unknown>;
  /** Reports all changes of a buffer from now on; returns a function that stops it, or null if there is no text. */
  follow(buffer: number, events: BufferEvents): Promise<(() => void) | null>;
}

/** Neovim's events about a buffer that is followed. */
export interface BufferEvents {
  /** Lines from `first` up to `last` were replaced; `tick` is null for a preview that is only shown. */
  lines(first: number, last: number, lines: readonly string[], tick: number | null): void;
  /** Only the tick changed. */
  tick(tick: number): void;
  /** The buffer was reloaded or is gone. */
  detach(): void;
}

/**
 * Handles one message of Neovim after the other: everything that follows from one message, up to the next wait for
 * something outside, is done before the next one. The package dispatches the messages of one read while promises of
 * earlier ones are still running, so a text that was just read and its later changes would be mixed up.
 */
export function handleInOrder(handle: () => void): void {
  setImmediate(handle);
}

export function createLua(nvim: NeovimClient): Lua {
  const request = (method: string, parameters: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      nvim.request(method, [...parameters]).then(
        (answer) => handleInOrder(() => resolve(answer)),
        (error: unknown) => handleInOrder(() => reject(error)),
      );
    });
  return {
    request,
    async follow(number, { lines: changed, tick: moved, detach }) {
      const buffer = (await nvim.buffers).find(({ id }) => id === number);
      if (buffer === undefined) return null;
      let isFollowing = false;
      let wasDetached = false;
      const whenFollowing = (handle: () => void) => handleInOrder(() => isFollowing && handle());
      // Arguments as the package passes them: the buffer first.
      const listeners = {
        lines: (_: unknown, at: number | null, first: number, last: number, now: string[]) =>
          whenFollowing(() => changed(first, last, now, at)),
        changedtick: (_: unknown, at: number) => whenFollowing(() => moved(at)),
        detach: () =>
          handleInOrder(() => {
            wasDetached = true;
            if (isFollowing) detach();
            isFollowing = false;
          }),
      };
      const entries = Object.entries(listeners);
      const unfollow = () => {
        isFollowing = false;
        for (const [name, listener] of entries) nvim.detachBuffer(buffer, name, listener);
      };
      // If the buffer was reloaded meanwhile, the package handled the end of following by dropping all listeners of the
      // buffer, including these: Neovim would send every change, but no listener would get it.
      do {
        wasDetached = false;
        for (const [name, listener] of entries) nvim.attachBuffer(buffer, name, listener);
        isFollowing = (await request("nvim_buf_attach", [number, false, {}])) === true;
      } while (isFollowing && wasDetached);
      if (isFollowing) return unfollow;
      unfollow();
      return null;
    },
    async call(name, parameters) {
      const { parameters: taken, answer } = luaCalls[name];
      const values = new Map<string, unknown>(Object.entries(parameters));
      const ordered = Object.keys(taken.shape).map((parameter) => values.get(parameter) ?? null);
      const answered = await request("nvim_exec_lua", [
        "return require('parley.rpc').call(...)",
        [name, ...ordered],
      ]);
      return answer.parse(answered) as LuaAnswer<typeof name>;
    },
  };
}
