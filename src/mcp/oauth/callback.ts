/** The answer of an authorization server, from the browser by way of this machine or from the person's clipboard. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Callback {
  /** Where the browser is sent to. */
  readonly redirectUrl: string;
  /** The parameters of the request that bears our `state`. */
  readonly answer: Promise<URLSearchParams>;
  /** The port is free afterwards. */
  close(): Promise<void>;
}

const path = "/callback";

/**
 * Listens on 127.0.0.1 for the one answer of a browser (RFC 8252, section 7.3) and then no more.
 * With `port` null a free one is taken. Rejects with a sentence when it cannot listen.
 */
export async function listenForAnswer(state: string, port: number | null): Promise<Callback> {
  const server = createServer();
  server.maxConnections = 8;
  await new Promise<void>((listening, fail) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const what = `127.0.0.1:${port ?? "(any port)"} could not be opened for the answer of the browser`;
      fail(new Error(`${what} (${error.code ?? error.message}); nothing was asked for.`));
    });
    server.listen(port ?? 0, "127.0.0.1", listening);
  });
  const { port: opened } = server.address() as AddressInfo;
  const host = `127.0.0.1:${opened}`;
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  const answer = new Promise<URLSearchParams>((take) => {
    server.on("request", (request, response) => {
      const parameters = parametersOf(request, host);
      // A browser asks for an icon; a page elsewhere may try ports under another name. Neither is the answer.
      if (parameters === null) return reply(response, 404, "There is nothing here.");
      // Any page can send one; the login that waits is not its to end.
      if (parameters.get("state") !== state) return reply(response, 400, foreign);
      server.close();
      response.once("close", () => server.closeAllConnections());
      reply(response, 200, arrived);
      take(parameters);
    });
  });
  return { redirectUrl: `http://${host}${path}`, answer, close };
}

/**
 * What a person pasted: the whole address that the browser ended at, or only the code in it. Throws a sentence.
 */
export function readPastedAnswer(pasted: string, state: string): URLSearchParams {
  const text = pasted.trim();
  const query = /[?&]?((?:code|error|state|iss)=[^\s#]*)/.exec(text)?.[1];
  if (query === undefined) {
    if (/^[\x21-\x7e]+$/.test(text)) return new URLSearchParams({ code: text });
    throw new Error("That is neither an address with code= in it nor a code; nothing was kept.");
  }
  const parameters = new URLSearchParams(
    URL.canParse(text) ? new URL(text).search.slice(1) : query,
  );
  if (parameters.get("state") !== state) throw new Error(foreignAnswer);
  return parameters;
}

const foreignAnswer =
  "The answer does not belong to this login (its state differs), so it was not used and nothing was kept.";

/** The page says nothing that came from outside. */
const arrived = "The answer has reached Parley. This window can be closed.";
const foreign = "This answer does not belong to the login that waits here.";

function parametersOf(
  { method, url = "", headers }: IncomingMessage,
  host: string,
): URLSearchParams | null {
  // Another Host is a name that somebody pointed at this machine.
  if (method !== "GET" || headers.host !== host || !URL.canParse(url, `http://${host}`))
    return null;
  const { pathname, searchParams } = new URL(url, `http://${host}`);
  return pathname === path ? searchParams : null;
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  response.end(`${text}\n`);
}
