/** What servers ask the person for (MCP, elicitation): values for a form, or to open an address. */
import { visible } from "../conversation/visible.ts";
import { askAddress } from "./address.ts";
import type { Dialogue } from "./dialogue.ts";
import { askForm, type FormResult } from "./form.ts";
import { readFields } from "./form-fields.ts";
import { isObject, stringOf } from "./json.ts";
import type { Asker } from "./open-calls.ts";
import { introduction } from "./quoting.ts";

/** Names of what a server must never ask for in a form. */
const secretNames =
  /\b(pass ?(word|phrase|code)|secret|token|api[ _-]?key|private[ _-]?key|cvv|credit ?card)s?\b/i;

/** `params` are those of `elicitation/create`. Throws a sentence when they cannot be asked; rejects once aborted. */
export async function elicit(params: unknown, asker: Asker, person: Dialogue): Promise<FormResult> {
  const { message, mode, url, requestedSchema } = isObject(params) ? params : {};
  const details = introduction(asker, stringOf(message) ?? "");
  const title = `${visible(asker.server)} asks`;
  if (mode === "url") return askAddress({ title, details, address: url }, person, asker.signal);
  const fields = readFields(requestedSchema);
  const isSecret = fields.some(({ name, label }) =>
    secretNames.test(`${name} ${label}`.replace(/([a-z])([A-Z])|_/g, "$1 $2")),
  );
  const form = { title, details: [...details, ...(isSecret ? [secretWarning] : [])], fields };
  return askForm(form, person, asker.signal);
}

const secretWarning =
  "It may be asking for a secret. Servers must not ask for passwords, keys or tokens in a form: decline if it does.";
