// Stands in for what the SDKs know as globals: Node loads all of its `fetch` with the first that is looked at, and they
// look at each request. No form and no web stream is ever sent to a model.
export { HttpHeaders as Headers } from "../../src/net/http-headers.ts";

export class FormData {}

export class ReadableStream {}
