/** Which addresses are reached without the proxy of the environment. Pure. */
import { BlockList, isIP } from "node:net";
import { isLocalAddress } from "./local-address.ts";

/**
 * True for addresses of this machine, which no proxy reaches, and for those in NO_PROXY: `*`, a name with everything
 * below it (`.example.org`, `*.example.org` too), an address, or a range of them (`10.0.0.0/8`), each with or without a
 * port.
 */
export function bypassesProxy(address: string | URL, noProxy: string): boolean {
  if (isLocalAddress(address)) return true;
  if (!URL.canParse(String(address))) return false;
  const { hostname, port, protocol } = new URL(address);
  const host = bare(hostname.toLowerCase());
  const usedPort = port || (protocol === "https:" ? "443" : "80");
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    const [, place = entry, wanted = usedPort] = withPort.exec(entry) ?? [];
    return place !== "" && wanted === usedPort && isNamed(host, bare(place));
  });
}

/** The colons of an IPv6 address can only come before a port when they are in brackets. */
const withPort = /^(\[.*\]|[^:]*):(\d+)$/;

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

function isNamed(host: string, entry: string): boolean {
  if (entry === "*") return true;
  const family = isIP(host);
  if (family === 0) {
    const name = entry.replace(/^\*?\./, "");
    return host === name || host.endsWith(`.${name}`);
  }
  const [network = "", bits] = entry.split("/");
  if (isIP(network) !== family) return false;
  const length = bits === undefined ? longest(family) : Number(bits);
  if (!(Number.isInteger(length) && length >= 0 && length <= longest(family))) return false;
  const named = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  named.addSubnet(network, length, kind);
  return named.check(host, kind);
}

/** The number of bits in an address. */
function longest(family: number): number {
  return family === 4 ? 32 : 128;
}
