import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The folder for everything that scripts download; it can be deleted at any time. */
export const cacheFolder = join(projectRoot, ".cache");
