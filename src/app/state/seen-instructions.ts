/** Which instructions of servers go to the model: those of the user's own servers, and those that the user has seen. */
import { join } from "node:path";
import type { ServerInstructions } from "../../conversation/ports.ts";
import { sha256 } from "../../shared/hash.ts";
import { fieldsOf, type Keep, readOwn, writeOwn } from "./own-files.ts";

/**
 * `unseen`: from a project's server, and not seen by the user yet. `changed`: they were sent, but have changed since.
 * `refused`: the user declined them. Only those with `sent` go to the model.
 */
export type InstructionsStatus = "sent" | "unseen" | "changed" | "refused";

/** The first instructions of one of the user's own servers are accepted; from then on they are compared. */
export async function instructionsStatus(
  stateFolder: string,
  instructions: ServerInstructions,
  keep: Keep = (written) => written,
): Promise<InstructionsStatus> {
  const hash = sha256(instructions.text);
  const text = await readOwn(join(instructionsFolder(stateFolder), fileOf(instructions)));
  const known = text === "gone" ? null : (fieldsOf(text) ?? {});
  if (known === null) {
    if (instructions.serverFile !== undefined) return "unseen";
    await keep(decideInstructions(stateFolder, instructions, true));
    return "sent";
  }
  if (known.isSent === false) return "refused";
  return known.hash === hash ? "sent" : "changed";
}

/** Records the decision of the user, who has seen them. */
export async function decideInstructions(
  stateFolder: string,
  instructions: ServerInstructions,
  isSent: boolean,
): Promise<void> {
  const { server, text } = instructions;
  const record = { server, hash: sha256(text), isSent };
  await writeOwn(
    instructionsFolder(stateFolder),
    fileOf(instructions),
    `${JSON.stringify(record)}\n`,
  );
}

/** The folder with one file for each decision. */
export function instructionsFolder(stateFolder: string): string {
  return join(stateFolder, "mcp-instructions");
}

function fileOf({ server, serverFile }: ServerInstructions): string {
  return `${sha256(JSON.stringify([server, serverFile ?? null])).slice(0, 32)}.json`;
}
