/**
 * `fetch` that reaches nobody: an answer that is given comes from memory, by way of Node's own client. Node and the
 * SDKs compile what they need at their first request; one that goes nowhere takes that off the first question.
 */
import { Duplex } from "node:stream";
import { type AgentClass, findAgentClass } from "./agent-class.ts";

/** Null where this Node has no agent to be found: then nothing can be kept from the network. */
export async function createRehearsedFetch(
  body: string,
): Promise<((url: string | URL, init?: RequestInit) => Promise<Response>) | null> {
  const Agent: AgentClass | null = await findAgentClass();
  if (Agent === null) return null;
  const dispatcher = new Agent({
    keepAliveTimeout: 1,
    keepAliveMaxTimeout: 1,
    // Later, as a network would: from Node 24 a connection that is there at once is never used.
    connect: (_target, done) => queueMicrotask(() => done(null, answering(body))),
  });
  return async (url, init = {}) => fetch(url, { ...init, dispatcher } as RequestInit);
}

/** The other end of a connection: it answers what it is sent first, and ends. */
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
      // When the whole request is written, as a server would.
      setImmediate(() => {
        socket.push(`${head}${body}`);
        socket.push(null);
      });
    },
  });
  return socket;
}
