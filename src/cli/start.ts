/** dist/cli.js: loads `parley` with the compiled code of earlier starts. */
import { loadProgram } from "../system/load-program.ts";

const { keepCode } = loadProgram("cli", import.meta.url);
process.once("exit", keepCode);
