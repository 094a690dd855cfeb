/** A response that is not an answer, with its body: the SDKs keep only part of it, and hide a redirect's target. */

import { type Body, bodyPieces } from "../../net/body-pieces.ts";
import type { HttpResponse } from "../../net/lasting-fetch.ts";

/** A response with an error status, or with a success status but no answer. Its message never shows the body. */
export class RefusedResponse extends Error {
  readonly status: number;
  readonly headers: Headers;
  /** As text, at most `longestBody` characters. */
  readonly body: string;

  constructor(status: number, headers: Headers, body: string) {
    super("The response is not an answer.");
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** In characters, since a proxy's page can be long. */
const longestBody = 64 * 1024;

/** Reads a refused response. Rejects if the connection breaks while reading. */
export async function readRefusal(response: HttpResponse): Promise<RefusedResponse> {
  const text = await readText(response.body);
  return new RefusedResponse(response.status, response.headers, text.slice(0, longestBody));
}

async function readText(body: Body | null): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of bodyPieces(body)) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= longestBody) break;
  }
  return text;
}
