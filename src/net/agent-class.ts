/** The class of the agent that Node's own `fetch` works with, which Node does not hand out. */
import type { Duplex } from "node:stream";

/**
 * Where Node keeps the agent of its `fetch`, by the version of the agent's interface: 1 up to Node 22, 1 and 2 from
 * Node 24, where 1 is a wrapper for older callers from Node 26. It is in no manual, so without it plain `fetch` is used.
 */
const globalAgent = /^undici\.globalDispatcher\.(\d+)$/;

export interface Agent {
  close(): Promise<void>;
}
export type AgentClass = new (options: {
  keepAliveTimeout: number;
  keepAliveMaxTimeout: number;
  connect: Connect;
}) => Agent;

/** What undici asks its `connect` option for. */
export interface Target {
  readonly hostname: string;
  readonly protocol: string;
  readonly port: string;
  readonly servername?: string | null;
}
export type Connect = (
  target: Target,
  done: (error: Error | null, socket: Duplex | null) => void,
) => void;

/** Loads Node's `fetch`. Null where this Node has no such agent. */
export async function findAgentClass(): Promise<AgentClass | null> {
  // Node makes its agent when it first needs one.
  await fetch("data:,");
  const places = Object.getOwnPropertySymbols(globalThis)
    .map((symbol) => ({ symbol, version: Number(globalAgent.exec(symbol.description ?? "")?.[1]) }))
    .filter(({ version }) => !Number.isNaN(version))
    .sort((one, other) => other.version - one.version);
  for (const { symbol } of places) {
    const found: unknown = Reflect.get(globalThis, symbol);
    const made = typeof found === "object" && found !== null ? found.constructor : null;
    if (typeof made === "function" && made.name === "Agent") return made as AgentClass;
  }
  return null;
}
