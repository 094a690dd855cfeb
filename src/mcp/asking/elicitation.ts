/** Elicitation (MCP): a server asks the user to fill in a form or to open an address. */

import { isObject, stringOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import type { Asker } from "../running-calls.ts";
import { addressLines, readWebAddress } from "../web-address.ts";
import type { Dialogue } from "./dialogue.ts";
import { askForm, type FormResult } from "./form.ts";
import { readFields } from "./form-fields.ts";
import { introduction } from "./quoted-words.ts";

/** Names of fields for secrets, which a server must never request in a form. */
const secretNames =
  /\b(pass ?(word|phrase|code)|secret|token|api[ _-]?key|private[ _-]?key|cvv|credit ?card)s?\b/i;

/** `params` are those of `elicitation/create`. Throws an error for the user if invalid; rejects when aborted. */
export async function elicit(params: unknown, asker: Asker, user: Dialogue): Promise<FormResult> {
  const { message, mode, url, requestedSchema } = isObject(params) ? params : {};
  const details = introduction(asker, stringOf(message) ?? "");
  const title = `${visible(asker.server)} asks`;
  if (mode === "url") return askAddress({ title, details, address: url }, user, asker.signal);
  const fields = readFields(requestedSchema);
  const isSecret = fields.some(({ name, label }) =>
    secretNames.test(`${name} ${label}`.replace(/([a-z])([A-Z])|_/g, "$1 $2")),
  );
  const form = { title, details: [...details, ...(isSecret ? [secretWarning] : [])], fields };
  return askForm(form, user, asker.signal);
}

const secretWarning =
  "It may be asking for a secret. Servers must not ask for passwords, keys or tokens in a form: decline if it does.";

export interface AddressQuestion {
  readonly title: string;
  readonly details: readonly string[];
  /** As the server sent it, unchecked. */
  readonly address: unknown;
}

/**
 * Shows the whole address and its host, and opens it only after approval. Throws an error for the user if the address
 * must not be opened. `accept` means that the user agreed to open it, not that they finished there.
 */
async function askAddress(
  { title, details, address }: AddressQuestion,
  user: Dialogue,
  signal: AbortSignal,
): Promise<FormResult> {
  const url = readWebAddress(address);
  // The question may interrupt the user's typing, so the item that Enter picks must not open anything.
  const items = ["Decline", "Open it in the browser", "Cancel"];
  const shown = [...details, "It wants you to open this address:", ...addressLines(url)];
  const chosen = await user.select(
    { prompt: `${title} to open an address at ${url.host}`, details: shown, items },
    signal,
  );
  if (chosen === 0) return { action: "decline" };
  if (chosen !== 1) return { action: "cancel" };
  const failure = await user.openAddress(url.href);
  if (failure === null) return { action: "accept" };
  throw new Error(`The address could not be opened. ${failure}`);
}
