/** MessagePack-RPC with Neovim: requests and their answers, notifications, and what it tells of a buffer. */
import type { Readable, Writable } from "node:stream";
import { Encoder } from "@msgpack/msgpack";
import { createMessageReader } from "./message-reader.ts";

export interface Connection {
  /** Rejects with Neovim's own message. Buffers, windows and tab pages are their numbers. */
  request(method: string, parameters: readonly unknown[]): Promise<unknown>;
  onNotification(listen: (method: string, parameters: readonly unknown[]) => void): void;
  /**
   * Hears the events of a buffer, once `nvim_buf_attach` was asked for them, without the buffer in their parameters.
   * Gives back what ends it, or null where there is no such buffer.
   */
  listen(buffer: number, listener: BufferListener): Promise<(() => void) | null>;
}

/** `lines`, `changedtick` and `detach`, as in `:help api-buffer-updates`. */
export type BufferListener = (event: string, parameters: readonly unknown[]) => void;

const bufferEvent = /^nvim_buf_(.+)_event$/;

/** As of MessagePack-RPC: something is asked, answered or told. */
type Message =
  | readonly [kind: 0, id: number, method: string, parameters: readonly unknown[]]
  | readonly [kind: 1, id: number, error: unknown, answer: unknown]
  | readonly [kind: 2, method: string, parameters: readonly unknown[]];

/** What is asked for waits without an end when the streams close: whoever opened them ends the program then. */
export function openConnection(reader: Readable, writer: Writable): Connection {
  const encoder = new Encoder();
  const messages = createMessageReader();
  const waiting = new Map<number, (error: unknown, answer: unknown) => void>();
  const listeners = new Map<unknown, Set<BufferListener>>();
  let listen: (method: string, parameters: readonly unknown[]) => void = () => {};
  let lastId = 0;

  const send = (message: Message) => void writer.write(encoder.encode(message));
  const tell = (method: string, parameters: readonly unknown[]): void => {
    const event = bufferEvent.exec(method)?.[1];
    if (event === undefined) {
      listen(method, parameters);
      return;
    }
    const [buffer, ...others] = parameters;
    for (const hear of listeners.get(buffer) ?? []) hear(event, others);
  };
  const take = (message: Message): void => {
    switch (message[0]) {
      case 0:
        send([1, message[1], "Parley's host answers no requests.", null]);
        return;
      case 1: {
        const [, id, error, answer] = message;
        waiting.get(id)?.(error, answer);
        waiting.delete(id);
        return;
      }
      case 2:
        tell(message[1], message[2]);
    }
  };
  reader.on("data", (piece: Uint8Array) => {
    for (const message of messages.push(piece)) take(message as Message);
  });
  return {
    request(method, parameters) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, (error, answer) => {
          if (error === null) resolve(answer);
          else reject(new Error(`${method}: ${messageOfError(error)}`));
        });
        send([0, id, method, parameters]);
      });
    },
    onNotification(listener) {
      listen = listener;
    },
    async listen(buffer, listener) {
      const those = listeners.get(buffer) ?? new Set();
      listeners.set(buffer, those.add(listener));
      return () => {
        those.delete(listener);
        if (those.size === 0 && listeners.get(buffer) === those) listeners.delete(buffer);
      };
    },
  };
}

/** Neovim sends the kind of an error and its words. */
function messageOfError(error: unknown): string {
  return String(Array.isArray(error) ? error[1] : error);
}
