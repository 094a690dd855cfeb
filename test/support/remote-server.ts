/** Servers of tests behind an address of this machine, as processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { HttpConfiguration } from "../../src/mcp/configured/launch-configuration.ts";
import { everythingServer } from "./real-servers.ts";

export const modernServer = fileURLToPath(new URL("modern-server.mjs", import.meta.url));

export interface RemoteServer {
  readonly port: number;
  /** Gone afterwards. */
  kill(): Promise<void>;
}

/** server-everything, on a port; the same one again after a kill is a restart. */
export async function everything(
  way: "streamableHttp" | "sse",
  port?: number,
): Promise<RemoteServer> {
  const at = port ?? (await freePort());
  const child = spawn(process.execPath, [everythingServer, way], {
    env: { PATH: process.env.PATH, PORT: String(at) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await said(child, /listening on port|is running on port/i);
  return kept(child, at);
}

/** The server of 2026-07-28; with `stateless` it serves the older revision too. */
export async function modern(legacy: "reject" | "stateless" = "reject"): Promise<RemoteServer> {
  const child = spawn(process.execPath, [modernServer, "http", legacy], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = await said(child, /listening on http:\/\/127\.0\.0\.1:\d+/);
  return kept(child, Number(/:(\d+)\/mcp/.exec(text)?.[1]));
}

export function at(
  { port }: { readonly port: number },
  path = "/mcp",
  more: Partial<HttpConfiguration> = {},
): HttpConfiguration {
  const url = new URL(`http://127.0.0.1:${port}${path}`);
  return { url, transport: "http", login: null, ...more };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function kept(child: ChildProcess, port: number): RemoteServer {
  const server = {
    port,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
  };
  onTestFinished(() => server.kill());
  return server;
}

/** All that it wrote until the pattern was there. */
function said({ stdout, stderr }: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((found) => {
    let text = "";
    for (const stream of [stdout, stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (pattern.test(text)) found(text);
      });
    }
  });
}
