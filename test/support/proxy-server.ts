/** A proxy of a test, as real ones work: http by absolute address, anything else by a tunnel. It finds `*.test` on this machine. */
import { createServer, request as requestOf } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** An address of this machine under a name that only the proxy of a test finds: local addresses use no proxy. */
export function named(address: string): string {
  return address.replace("127.0.0.1", "named.test");
}

function placeOf(host: string): string {
  return host.endsWith(".test") ? "127.0.0.1" : host;
}

export async function startProxy() {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  let connections = 0;
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "");
    asked.push(`${incoming.method} ${url.origin}`);
    credentials.push(incoming.headers["proxy-authorization"]);
    const forwarded = requestOf(
      {
        host: placeOf(url.hostname),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        method: incoming.method ?? "GET",
        headers: incoming.headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on("error", () => outgoing.writeHead(502).end());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  // No hint of its own, which would win over the client's.
  server.keepAliveTimeout = 0;
  server.on("connection", () => {
    connections += 1;
  });
  server.on("connect", (incoming, socket, head) => {
    asked.push(`CONNECT ${incoming.url}`);
    const [host = "", port = "443"] = (incoming.url ?? "").split(":");
    const target = connect(Number(port), placeOf(host), () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
    socket.on("error", () => target.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    asked,
    credentials,
    /** So far, whatever became of them. */
    connections: () => connections,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** A proxy that opens a tunnel for nobody. */
export async function startRefusingProxy(status: number) {
  const server = createServer((_, outgoing) => outgoing.writeHead(status).end());
  server.on("connect", (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
