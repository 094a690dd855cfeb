/** The class of the agent that Node's own `fetch` works with, which Node does not hand out. */
import type { Duplex } from "node:stream";

/** Where Node keeps the agent of its `fetch`; it is in no manual, so without it plain `fetch` is used. */
const globalAgent = Symbol.for("undici.globalDispatcher.1");

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
  const found: unknown = Reflect.get(globalThis, globalAgent);
  const made = typeof found === "object" && found !== null ? found.constructor : null;
  return typeof made === "function" && made.name === "Agent" ? (made as AgentClass) : null;
}
