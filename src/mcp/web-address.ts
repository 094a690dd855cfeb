/** Web addresses that servers name, checked before they are shown to the user and opened in a browser. */
import { visible } from "../shared/visible.ts";

/** In characters; login addresses have up to a few thousand. */
const longestAddress = 8000;

/** Throws an error for the user if the address must not be opened. */
export function readWebAddress(address: unknown): URL {
  if (typeof address !== "string") throw new Error("The server named no address to open.");
  if (address.length > longestAddress) {
    throw new Error("The address is too long to review, so it is not opened.");
  }
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new Error(`Only http and https addresses are opened, not ${visible(address)}.`);
  }
  // A user name before the host can make one address look like another.
  if (url.username !== "" || url.password !== "") {
    throw new Error("An address with a user name in it is not opened.");
  }
  return url;
}

/** The whole address, and its host on a line of its own, which is easier to check. */
export function addressLines(url: URL): readonly string[] {
  const isPunycode = /(^|\.)xn--/.test(url.hostname);
  const warning = isPunycode ? " (a name in other letters: look twice)" : "";
  return [`  ${url.href}`, `  host: ${url.host}${warning}`];
}
