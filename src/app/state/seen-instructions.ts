/** Which instructions of servers go to the model: those of the person's own servers, and what the person has seen. */
import { join } from "node:path";
import type { ServerInstructions } from "../../conversation/ports.ts";
import { sha256 } from "../../shared/hash.ts";
import { fieldsOf, type Keep, readOwn, writeOwn } from "./own-files.ts";

/**
 * `unseen`: of a project's server, and nobody has looked at them. `changed`: they were sent and are others now.
 * `refused`: the person said no. Only what is `sent` goes to the model.
 */
export type InstructionStanding = "sent" | "unseen" | "changed" | "refused";

/** The first instructions of a server of the person's own are taken as they are, and compared from then on. */
export async function standingOf(
  stateFolder: string,
  instructions: ServerInstructions,
  keep: Keep = (written) => written,
): Promise<InstructionStanding> {
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

/** The person has seen them. */
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

/** What became of each is a file of it. */
export function instructionsFolder(stateFolder: string): string {
  return join(stateFolder, "mcp-instructions");
}

function fileOf({ server, serverFile }: ServerInstructions): string {
  return `${sha256(JSON.stringify([server, serverFile ?? null])).slice(0, 32)}.json`;
}
