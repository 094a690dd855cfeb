/** A key and a certificate for `localhost`, those of the tests. */
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/paths.mjs";

const folder = join(projectRoot, "test", "support");
export const keyPath = join(folder, "localhost-key.pem");
export const certificatePath = join(folder, "localhost-cert.pem");
