import type { App } from "../app/app.ts";
import { listModels, modelLines } from "../app/model-list.ts";
import { exitCodes } from "./end.ts";

/** Prints the vendors and models there are, for people or as JSON. */
export function models(
  { now: { configuration }, options: { environment } }: App,
  { json }: { readonly json: boolean },
  tell: (text: string) => void,
): number {
  const list = listModels({ configuration, environment });
  if (!json) {
    process.stdout.write(`${modelLines(list).join("\n")}\n`);
    return exitCodes.finished;
  }
  const { notices, ...data } = list;
  for (const notice of notices) tell(notice);
  process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  return exitCodes.finished;
}
