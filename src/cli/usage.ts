/** `parley usage`: what was spent, as it is shown in the editor too. */
import type { App } from "../app/app.ts";
import { readSpent } from "../app/usage/ledger.ts";
import { beginOf, type Span, usageReport } from "../app/usage/report.ts";
import { exitCodes } from "./end.ts";
import { forTerminal } from "./terminal.ts";

export async function usage({ options }: App, span: Span): Promise<number> {
  const spent = await readSpent(options.stateFolder, beginOf(span, Date.now()));
  process.stdout.write(`${usageReport(spent, span).map(forTerminal).join("\n")}\n`);
  return exitCodes.finished;
}
