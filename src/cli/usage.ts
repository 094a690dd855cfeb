/** `parley usage`: what was spent, in the same form as in the editor. */
import type { App } from "../app/app.ts";
import { readSpent } from "../app/usage/ledger.ts";
import { beginOf, type Period, usageReport } from "../app/usage/report.ts";
import { exitCodes } from "./end.ts";
import { forTerminal, print } from "./terminal.ts";

export async function usage({ options }: App, period: Period): Promise<number> {
  const spent = await readSpent(options.stateFolder, beginOf(period, Date.now()));
  print(`${usageReport(spent, period).map(forTerminal).join("\n")}\n`);
  return exitCodes.finished;
}
