/** stdout is the RPC channel: one stray byte on it ends the connection, so nothing may print there. */
import { Console } from "node:console";

globalThis.console = new Console(process.stderr, process.stderr);
