/** Failures of a proxy of the environment, as opposed to failures of the address reached through it. */

/** `message` is a sentence that begins with "The proxy in" and never contains the proxy's password. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  /** From the system or undici, such as `ECONNREFUSED`. */
  readonly code: string;

  /** The sentence as part of another one. */
  get reason(): string {
    return this.message.replace(/^The /, "the ").replace(/\.$/, "");
  }

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** A proxy and the variable that names it. */
export interface NamedProxy {
  readonly variable: string;
  readonly address: string;
}

/** undici reports the status only in the text of its error. */
const refusedTunnel = /^Proxy response \((\d+)\)/;

const codeOfTunnel = "UND_ERR_ABORTED";
const mostCauses = 5;

/** The ProxyFailure for a request's error when a proxy caused it; null when none did. */
export function proxyFailure(
  error: unknown,
  proxies: readonly NamedProxy[],
  target: URL,
): ProxyFailure | null {
  for (const cause of causesOf(error)) {
    const status = refusedTunnel.exec(cause.message)?.[1];
    const asked = proxies.find(({ address }) => address !== "");
    if (status !== undefined && asked !== undefined) {
      const why =
        status === "407" ? "requires a user name and a password" : "refused the connection";
      const message = `The proxy in ${shownProxy(asked)} ${why} (status ${status}).`;
      return new ProxyFailure(message, codeOfTunnel, error);
    }
    const code = "code" in cause ? cause.code : undefined;
    const met = proxies.find((proxy) => isAt(cause, proxy, target));
    if (met !== undefined && typeof code === "string") {
      const message = `The proxy in ${shownProxy(met)} cannot be reached (${code}).`;
      return new ProxyFailure(message, code, error);
    }
  }
  return null;
}

/** The ProxyFailure among an error and its causes; null when no proxy failed. */
export function proxyFailureIn(error: unknown): ProxyFailure | null {
  return causesOf(error).find((cause) => cause instanceof ProxyFailure) ?? null;
}

function causesOf(error: unknown): readonly Error[] {
  const found: Error[] = [];
  let current = error;
  while (current instanceof Error && found.length < mostCauses) {
    found.push(current);
    // When a name has several addresses, their connections fail together.
    if (current instanceof AggregateError) {
      found.push(...current.errors.filter((each) => each instanceof Error));
    }
    current = current.cause;
  }
  return found;
}

/** Whether a socket's error concerns the proxy: by its name, or by its port if the target's is a different one. */
function isAt(error: Error, { address }: NamedProxy, target: URL): boolean {
  if (!URL.canParse(address)) return false;
  const proxy = new URL(address);
  const [name, port] = [
    "hostname" in error ? error.hostname : undefined,
    "port" in error ? error.port : undefined,
  ];
  if (typeof name === "string") return name === proxy.hostname && name !== target.hostname;
  return Number(port) === portOf(proxy) && portOf(proxy) !== portOf(target);
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function shownProxy({ variable, address }: NamedProxy): string {
  return `${variable} (${new URL(address).host})`;
}
