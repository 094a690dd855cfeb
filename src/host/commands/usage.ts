/** `:Parley usage`: what was spent, by day, model and chat. */
import type { App } from "../../app/app.ts";
import { readSpent } from "../../app/usage/ledger.ts";
import { beginOf, spans, usageReport } from "../../app/usage/report.ts";
import { visible } from "../../shared/visible.ts";
import type { HostContext } from "../context.ts";

export async function showUsage(
  { lua, notify }: Pick<HostContext, "lua" | "notify">,
  app: App,
  [word = "month"]: readonly string[],
): Promise<void> {
  const span = spans.find((known) => known === word);
  if (span === undefined) {
    notify("warn", `:Parley usage takes one of ${spans.join(", ")}, not ${JSON.stringify(word)}.`);
    return;
  }
  const spent = await readSpent(app.options.stateFolder, beginOf(span, Date.now()));
  await lua.call("open", usageReport(spent, span).map(visible), {
    title: "usage",
    filetype: "markdown",
  });
}
