/** `:Parley usage`: what was spent, by day, model and chat. */
import { readSpent } from "../../app/usage/ledger.ts";
import { beginOf, spans, usageReport } from "../../app/usage/report.ts";
import { visible } from "../../shared/visible.ts";
import type { OpenHost } from "../context.ts";

export async function showUsage(
  { lua, notify, app }: OpenHost,
  [word = "month"]: readonly string[],
): Promise<void> {
  const span = spans.find((known) => known === word);
  if (span === undefined) {
    notify("warn", `:Parley usage takes one of ${spans.join(", ")}, not ${JSON.stringify(word)}.`);
    return;
  }
  const spent = await readSpent(app.options.stateFolder, beginOf(span, Date.now()));
  await lua.call("open", {
    what: usageReport(spent, span).map(visible),
    options: { title: "usage", filetype: "markdown" },
  });
}
