/** `:Parley usage`: what was spent, by day, model and chat. */
import { readSpent } from "../../app/usage/ledger.ts";
import { beginOf, periods, usageReport } from "../../app/usage/report.ts";
import { visible } from "../../shared/visible.ts";
import type { OpenHost } from "../context.ts";

export async function showUsage(
  { lua, notify, app }: OpenHost,
  [word = "month"]: readonly string[],
): Promise<void> {
  const period = periods.find((known) => known === word);
  if (period === undefined) {
    notify(
      "warn",
      `:Parley usage takes one of ${periods.join(", ")}, not ${JSON.stringify(word)}.`,
    );
    return;
  }
  const spent = await readSpent(app.options.stateFolder, beginOf(period, Date.now()));
  await lua.call("open", {
    what: usageReport(spent, period).map(visible),
    options: { title: "usage", filetype: "markdown" },
  });
}
