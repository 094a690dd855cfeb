/** A response that is no answer, kept whole: the SDKs would keep a part of its body and hide where it redirects. */

import { type Body, bodyPieces } from "../../net/body-pieces.ts";
import type { HttpResponse } from "../../net/lasting-fetch.ts";

/** An HTTP status that is no success, or a success whose body is none. Its message never shows the body. */
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

/** In characters; a page of a proxy can be long. */
const longestBody = 64 * 1024;

/** Reads a response that was refused. Rejects as reading does when the connection breaks. */
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
