/** `${cmd:…}` of a configuration: what a command prints. */
import { outputOfCommand } from "../../system/commands.ts";

const timeoutMs = 10_000;

/** Throws a sentence, which never tells what the command printed: it is a secret as a rule. */
export async function valueOfCommand([command = "", ...args]: readonly string[]): Promise<string> {
  const { outcome, stdout } = await outputOfCommand(command, args, { timeoutMs });
  const text = stdout.replace(/[\r\n]+$/, "");
  const isDone = outcome.type === "ended" && outcome.code === 0;
  if (isDone && text !== "") return text;
  const how = outcome.type === "ended" ? (outcome.code ?? outcome.signal) : outcome.type;
  const reason = isDone ? "it printed nothing" : `it failed (${how})`;
  throw new Error(`The command ${command} in \${cmd:…} gave no value: ${reason}.`);
}
