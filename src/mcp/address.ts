/** An address that a server wants opened in a browser (MCP, elicitation in URL mode). */
import type { Dialogue } from "./dialogue.ts";
import type { FormResult } from "./form.ts";
import { addressLines, readWebAddress } from "./web-address.ts";

export interface AddressQuestion {
  readonly title: string;
  readonly details: readonly string[];
  /** As the server sent it. */
  readonly address: unknown;
}

/**
 * Shows the whole address and its host, and opens it only after a yes. Throws a sentence when it is no address
 * that may be opened. An accept means that the person agreed, not that they did what is there.
 */
export async function askAddress(
  { title, details, address }: AddressQuestion,
  person: Dialogue,
  signal: AbortSignal,
): Promise<FormResult> {
  const url = readWebAddress(address);
  const items = ["Open it in the browser", "Decline", "Cancel"];
  const shown = [...details, "It wants this address opened:", ...addressLines(url)];
  const chosen = await person.select(
    { prompt: `${title} to open an address at ${url.host}`, details: shown, items },
    signal,
  );
  if (chosen === 1) return { action: "decline" };
  if (chosen !== 0) return { action: "cancel" };
  const failure = await person.openAddress(url.href);
  if (failure === null) return { action: "accept" };
  throw new Error(`The address could not be opened. ${failure}`);
}
