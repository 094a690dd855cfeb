/** Checks configured addresses and headers of servers. No error here contains a value, since it may be a secret. */

/** Throws an error for the user if no request can be sent to the address. */
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

/** Throws an error for the user if a header cannot be sent. */
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
