/** How a tool that a vendor refused is known again: by its name, its description and its schema. Pure. */
import { createHash } from "node:crypto";
import type { Tool } from "../../conversation/ports.ts";

/** Changes when the tool does, so that a mended one is offered again. */
export function toolHash({ name, description, inputSchema }: Tool): string {
  const text = JSON.stringify([name, description, inputSchema]);
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);
}
