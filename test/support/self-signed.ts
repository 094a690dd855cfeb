/** A key and a certificate for `localhost` that nobody trusts, for servers of tests; it protects nothing. */
import { readFileSync } from "node:fs";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

export const selfSigned = { key: read("localhost-key.pem"), cert: read("localhost-cert.pem") };
