/** dist/cli.js: loads `parley` with the compiled code of earlier starts. */
import "../system/start/zod-at-start.ts";
import { loadProgram } from "../system/start/load-program.ts";

const { keepCode } = loadProgram("cli", import.meta.url);
process.once("exit", keepCode);
