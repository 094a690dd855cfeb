/** dist/mock-server.js: runs the mock server, whose files are the host's too. */
import { createRequire } from "node:module";

createRequire(import.meta.url)("./mock-server.cjs");
