/** The tests' key and certificate for `localhost`. */
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const folder = join(projectRoot, "test", "support");
export const keyPath = join(folder, "localhost-key.pem");
export const certificatePath = join(folder, "localhost-cert.pem");
