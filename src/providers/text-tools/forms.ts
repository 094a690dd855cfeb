/** The readers of the protocols by their ids. */
import type { Openers } from "./block.ts";
import type { Context } from "./context.ts";
import { addJsonForms } from "./forms-json.ts";
import { addTokenForms } from "./forms-token.ts";
import { addXmlForms } from "./forms-xml.ts";
import { detectableProtocols } from "./protocol-ids.ts";

/** Throws for an id that is not in the table. */
export function openersOf(protocols: readonly string[], context: Context): Openers {
  for (const id of protocols) {
    if (detectableProtocols.has(id)) continue;
    const known = [...detectableProtocols.keys()].join(", ");
    throw new Error(`There is no tool protocol ${JSON.stringify(id)}. Use one of: ${known}.`);
  }
  const ids = new Set(protocols);
  const openers: Openers = new Map();
  addJsonForms(openers, ids, context);
  addXmlForms(openers, ids, context);
  addTokenForms(openers, ids, context);
  return openers;
}
