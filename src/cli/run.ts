import type { App } from "../app/app.ts";
import { approve, respond } from "../conversation/actions.ts";
import { Chat, type ChatEvent, type TurnEnd } from "../conversation/chat.ts";
import { nextStep } from "../conversation/next-step.ts";
import { emptySession } from "../conversation/session.ts";
import type { Exchange, Transcript } from "../transcript/types.ts";
import type { Approve, Command } from "./arguments.ts";
import { exitCodes } from "./exit-codes.ts";
import { FileEditor } from "./file-editor.ts";

type RunCommand = Extract<Command, { name: "run" }>;

/** Runs the turn of the last question on the file itself; returns the exit code. */
export async function run(
  app: App,
  command: RunCommand,
  tell: (text: string) => void,
): Promise<number> {
  const editor = await FileEditor.open(command.file);
  const ports = app.chatPorts({
    editor,
    path: () => editor.path,
    // There is nobody to ask: what would need a yes is not done, and a notice says so.
    confirm: async () => false,
    report: (event) => report(event, tell),
    model: command.model,
    tools: command.tools,
  });
  const budget = createBudget(command.maxSteps ?? ports.limits().modelCalls);
  const chat = new Chat({ ...ports, ...budget.around(ports.stream) });
  const stop = () => chat.stop();
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    return finish(await runTurns(chat, command.approve, budget), tell);
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    chat.close();
  }
}

/** Counts the requests of the whole run, whatever turns it consists of. */
function createBudget(maxSteps: number) {
  let asked = 0;
  let askedBefore = 0;
  return {
    nextTurn() {
      askedBefore = asked;
    },
    around: (stream: Chat["ports"]["stream"]): Pick<Chat["ports"], "stream" | "limits"> => ({
      limits: () => ({ modelCalls: maxSteps - askedBefore }),
      stream: (request, options) => {
        asked += 1;
        return stream(request, options);
      },
    }),
  };
}

async function runTurns(
  chat: Chat,
  approved: Approve,
  budget: ReturnType<typeof createBudget>,
): Promise<TurnEnd> {
  const { transcript } = await chat.read();
  const exchange = lastQuestion(transcript);
  if (exchange === null) return { type: "await-question" };
  if (nextStep(transcript, exchange, emptySession).type === "open-question")
    return { type: "done" };
  let end = await respond(chat, exchange.range.start);
  while (end.type === "await-approval") {
    budget.nextTurn();
    const next = await approve(chat, ({ call }) => call !== null && allows(approved, call.name));
    if (next === null) break;
    end = next;
  }
  return end;
}

function allows(approved: Approve, tool: string): boolean {
  if (typeof approved === "string") return approved === "all";
  return approved.has(tool);
}

/** The last exchange with a question; the empty `💬:` that waits for the next one is none. */
function lastQuestion({ exchanges }: Transcript): Exchange | null {
  return exchanges.findLast(({ question }) => question.text !== "") ?? null;
}

function finish(end: TurnEnd, tell: (text: string) => void): number {
  switch (end.type) {
    case "done":
      return exitCodes.finished;
    case "await-approval": {
      const names = end.open.map(({ call, reason }) => `${call.call?.name ?? "?"} (${reason})`);
      tell(`${names.length} calls wait for approval: ${names.join(", ")}. See --approve.`);
      return exitCodes.waitsForApproval;
    }
    case "failed":
      tell(end.failure.message);
      return end.failure.kind === "internal" ? exitCodes.failed : exitCodes.providerFailed;
    case "limit":
      tell(end.message);
      return exitCodes.maxStepsReached;
    case "await-question":
      tell("there is no question to answer: write one below a line that begins with 💬: .");
      return exitCodes.failed;
    case "conflict":
      tell("the file was changed by someone else meanwhile, so it was not overwritten.");
      return exitCodes.failed;
    case "refused":
      tell(end.message);
      return exitCodes.failed;
    case "stopped":
      tell("stopped; the text so far is in the file.");
      return exitCodes.failed;
    case "gone":
      tell("the question is no longer in the file.");
      return exitCodes.failed;
  }
}

function report(event: ChatEvent, tell: (text: string) => void): void {
  if (event.type === "notice") tell(event.message);
  if (event.type === "phase" && event.phase.type === "streaming")
    tell(`asking ${event.phase.text} …`);
  if (event.type === "phase" && event.phase.type === "tools") tell("running the approved calls …");
}
