/** `parley models`: the models that can be used here. */
import type { App } from "../app/app.ts";
import { askedModels } from "../app/models/ask-servers.ts";
import { modelLines } from "../app/models/model-lines.ts";
import { exitCodes } from "./end.ts";
import { jsonForTerminal, print } from "./terminal.ts";

/** Prints the known vendors and models, for reading or as JSON. Asks the servers that can list their models. */
export async function models(
  app: App,
  { json }: { readonly json: boolean },
  notify: (text: string) => void,
): Promise<number> {
  const list = await askedModels(app.modelServers, { isWanted: true });
  if (!json) {
    print(`${modelLines(list).join("\n")}\n`);
    return exitCodes.finished;
  }
  const { notices, ...data } = list;
  for (const notice of notices) notify(notice);
  print(`${jsonForTerminal(data)}\n`);
  return exitCodes.finished;
}
