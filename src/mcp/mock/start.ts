/** Entry of dist/mock-server.js: loads the mock server's bundle, which shares files with the host's. */
import { createRequire } from "node:module";

createRequire(import.meta.url)("./mock-server.cjs");
