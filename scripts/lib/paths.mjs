import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Everything the scripts download lands here; deleting the folder is always safe. */
export const cacheFolder = join(projectRoot, ".cache");
