/** `parley preview`: the request that the next respond would send. */
import type { App } from "../app/app.ts";
import { FileEditor } from "../app/files/file-editor.ts";
import { openChat } from "../app/open-chat/chat-ports.ts";
import { previewRequest } from "../app/open-chat/preview.ts";
import { emptySession } from "../conversation/decide/session.ts";
import { parseLines } from "../transcript/parse.ts";
import type { Command } from "./arguments.ts";
import { reportProblems } from "./check.ts";
import { exitCodes } from "./end.ts";
import { jsonForTerminal, print } from "./terminal.ts";

/** Prints the request that respond would send now: provider, api, model, body and step. */
export async function preview(
  app: App,
  command: Extract<Command, { name: "preview" }>,
  notify: (text: string) => void,
): Promise<number> {
  const editor = await FileEditor.open(command.file, app.options.stateFolder);
  const { lines } = await editor.read();
  const transcript = parseLines(lines);
  reportProblems(app, command.file, editor, transcript);
  const { sources } = openChat(app, {
    editor,
    path: () => editor.path,
    confirm: async () => false,
    report: () => {},
    model: command.model,
    tools: command.tools,
  });
  const shown = await previewRequest(sources(), app.now.models, transcript, {
    session: emptySession,
  });
  if ("message" in shown) {
    notify(shown.message);
    return exitCodes.failed;
  }
  const { notices, ...request } = shown;
  for (const notice of notices) notify(notice);
  print(`${jsonForTerminal(request)}\n`);
  return exitCodes.finished;
}
