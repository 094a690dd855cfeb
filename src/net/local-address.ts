/** Which addresses are of this machine: what goes there is read by nobody on the way, and the person can start what is missing. */

/**
 * By the name alone, as nobody is asked for it. `*.localhost` is none: some systems ask a name server for it, which may
 * name any machine.
 */
export function isLocalAddress(address: string | URL): boolean {
  const text = String(address);
  const hostname = URL.canParse(text) ? new URL(text).hostname : "";
  return /^(localhost|127(\.\d+){3}|\[::1?\]|0\.0\.0\.0)$/.test(hostname);
}
