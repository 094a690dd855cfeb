/** Addresses and headers of servers, as they are configured. No sentence here holds a value: it may be a secret. */

/** Throws a sentence when no request can be sent there. */
export function readHttpAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new Error("Its url is not an address that begins with http:// or https://; correct it.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error("Its url has a user name or password in it; write them into headers instead.");
  }
  return url;
}

/** Throws a sentence when a header cannot be sent. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new Error(
        `Its header ${JSON.stringify(name)} has a name or a value that HTTP does not allow (a line break, for one); correct it.`,
      );
    }
  }
}

export function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
