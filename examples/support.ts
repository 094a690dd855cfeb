/** What the examples share: which model answers, and who approves. */
import { createInterface } from "node:readline/promises";
import {
  type ApprovalAnswer,
  type Call,
  type Model,
  modelWithKey,
  openModel,
  scriptedModel,
} from "parley-nvim/agent";

/** `$PARLEY_MODEL`, else a real model when a key is set, else the script: then nothing leaves this machine. */
export function exampleModel(script: unknown): Model {
  const name = process.env.PARLEY_MODEL ?? modelWithKey();
  console.log(name === null ? "No key is set: a script answers.\n" : `Asking ${name}.\n`);
  return name === null ? scriptedModel(script) : openModel(name);
}

/** Asks in a terminal; without one the examples approve for themselves, since their tools only pretend. */
export async function approve({ name, json }: Call): Promise<ApprovalAnswer> {
  console.log(`❓ ${name} ${json}`);
  if (!process.stdin.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question("   run it? [y/N, or a reason] ");
    if (/^y(es)?$/i.test(answer)) return true;
    return /^(n(o)?)?$/i.test(answer) ? false : { deny: answer };
  } finally {
    terminal.close();
  }
}
