/**
 * A request that reaches nobody: an answer that is given comes from memory, by way of Node's own client. Node and the
 * SDKs compile what they need at their first request; one that goes nowhere takes that off the first question.
 */
import { Duplex } from "node:stream";
import { type HttpRequest, type HttpResponse, responseOf, send } from "./lasting-fetch.ts";

/** Rejects as a broken connection does. */
export function createRehearsedFetch(
  body: string,
): (url: string | URL, request?: HttpRequest) => Promise<HttpResponse> {
  return async (url, request = {}) => {
    const sent = await send(new URL(url), request, { createConnection: () => answering(body) });
    if ("error" in sent) throw sent.error;
    return responseOf(sent.answer);
  };
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
