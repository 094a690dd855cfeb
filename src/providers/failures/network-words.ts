/** Words for a connection that could not be made or broke, and whose machine an address is of. Pure. */

const networkReasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, "could not be made: the name was not found. Look at the network"],
  [/ECONNREFUSED/, "was refused: nothing listens there"],
  [/ENETUNREACH|EHOSTUNREACH/, "could not be made: the network does not reach it"],
  [/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/, "is not trusted: its certificate was not accepted"],
  [/TIMEDOUT|TIMEOUT/, "timed out"],
];

export function networkReason(codes: readonly string[]): string {
  const found = networkReasons.find(([code]) => codes.some((each) => code.test(each)));
  return found?.[1] ?? "broke off";
}

/** Whether a server is on this machine, so that the person can start it. */
export function isLocalAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname);
}
