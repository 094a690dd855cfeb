// Stands in for winston in the bundles: the neovim package loads it for one logger, and it is two
// thirds of the bundle and a third of the start. The package also points console.* at that logger,
// so what is said there must go to stderr: stdout belongs to the RPC channel.
import { format as formatText } from "node:util";

const toStderr = (...words) => process.stderr.write(`${formatText(...words)}\n`);

export function createLogger({ level }) {
  const logger = { level, info: toStderr, warn: toStderr, error: toStderr, debug() {} };
  return { ...logger, add() {} };
}

const nothing = () => undefined;
export const format = { combine: nothing, splat: nothing, timestamp: nothing, printf: nothing };

class Transport {}
export const transports = { File: Transport, Console: Transport };
