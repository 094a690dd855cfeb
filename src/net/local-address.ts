/**
 * Which addresses belong to this machine: no other machine reads what is sent there, and the user can start a missing
 * server.
 */

/**
 * Decided by the name only, without a lookup. `*.localhost` does not count: some systems ask a name server for it,
 * which may return any machine.
 */
export function isLocalAddress(address: string | URL): boolean {
  const text = String(address);
  const hostname = URL.canParse(text) ? new URL(text).hostname : "";
  return /^(localhost|127(\.\d+){3}|\[::1?\]|0\.0\.0\.0)$/.test(hostname);
}
