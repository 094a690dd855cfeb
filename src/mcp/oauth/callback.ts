/** Receives the authorization server's answer: from the browser on this machine, or pasted by the user. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Callback {
  /** The address to which the browser is redirected. */
  readonly redirectUrl: string;
  /** The parameters of the request that has our `state`. */
  readonly answer: Promise<URLSearchParams>;
  /** Frees the port. */
  close(): Promise<void>;
}

const path = "/callback";

/**
 * Listens on 127.0.0.1 until one browser answer arrives (RFC 8252, section 7.3), then stops.
 * If `port` is null, any free port is used. Rejects with an error for the user if it cannot listen.
 */
export async function listenForAnswer(state: string, port: number | null): Promise<Callback> {
  const server = createServer();
  server.maxConnections = 8;
  await new Promise<void>((listening, fail) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const what = `127.0.0.1:${port ?? "(any port)"} could not be opened for the browser's answer`;
      fail(new Error(`${what} (${error.code ?? error.message}); the login was not started.`));
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
      // Browsers request an icon, and a page elsewhere may probe ports under another host name. Neither is the answer.
      if (parameters === null) return reply(response, 404, "There is nothing here.");
      // Any page can send a wrong `state`, so that must not end the waiting login.
      if (parameters.get("state") !== state) return reply(response, 400, otherAnswerPage);
      server.close();
      response.once("close", () => server.closeAllConnections());
      reply(response, 200, arrived);
      take(parameters);
    });
  });
  return { redirectUrl: `http://${host}${path}`, answer, close };
}

/**
 * Parses what the user pasted: the address at which the browser ended, or only its code. Throws an error for the user.
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
  if (parameters.get("state") !== state) throw new Error(otherAnswerText);
  return parameters;
}

const otherAnswerText =
  "The answer does not belong to this login (its state differs), so it was not used and nothing was kept.";

/** The page repeats nothing of the request. */
const arrived = "Parley has the answer. You can close this window.";
const otherAnswerPage = "This answer does not belong to the login that waits here.";

function parametersOf(
  { method, url = "", headers }: IncomingMessage,
  host: string,
): URLSearchParams | null {
  // Another Host header means DNS rebinding: a foreign name that resolves to this machine.
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
