/**
 * A request that reaches no server: a given response comes from memory, through Node's own client. Node and the SDKs
 * compile what they need at their first request; a rehearsed request moves that time away from the first question.
 */
import { Duplex } from "node:stream";
import { createLastingFetch, type LastingFetch } from "./lasting-fetch.ts";

/** The returned `fetch` rejects as a broken connection does. */
export function createRehearsedFetch(body: string): LastingFetch["fetch"] {
  return createLastingFetch({ idleMs: 1000, connect: () => answering(body) }).fetch;
}

/** The other end of a connection: it answers the first data it receives, and ends. */
function answering(body: string): Duplex {
  let isAnswered = false;
  const length = Buffer.byteLength(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n`;
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done();
      if (isAnswered) return;
      isAnswered = true;
      // Only once the whole request is written, as a server would.
      setImmediate(() => {
        socket.push(`${head}${body}`);
        socket.push(null);
      });
    },
  });
  // Node's client sets one on every connection.
  return Object.assign(socket, { setTimeout: () => socket });
}
