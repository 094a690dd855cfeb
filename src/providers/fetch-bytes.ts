/** `fetch` for bodies of megabytes: it goes over a text several times before it is sent, over bytes it does not. */
export function fetchBytes(url: string | URL | Request, options?: RequestInit): Promise<Response> {
  const body = options?.body;
  if (typeof body !== "string") return fetch(url, options);
  return fetch(url, { ...options, body: new TextEncoder().encode(body) });
}
