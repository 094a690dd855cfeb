/** `parley run`: answers a chat without an editor; approvals per tool replace the keys. */
import type { App } from "../app/app.ts";
import { FileEditor } from "../app/files/file-editor.ts";
import { reasonOf } from "../app/files/reason-of.ts";
import type { Opening } from "../app/open-chat/chat-origin.ts";
import { openChat } from "../app/open-chat/chat-ports.ts";
import type { PolicyAnswer } from "../conversation/chat-tools.ts";
import { nextStep, type OpenCall, openCalls } from "../conversation/decide/next-step.ts";
import { emptySession } from "../conversation/decide/session.ts";
import type { Tool } from "../conversation/ports.ts";
import { referencesToRead } from "../conversation/request/needed-files.ts";
import {
  builtinGroup,
  commandTool,
  selectable,
  selects,
  selectsBuiltin,
  type ToolSelection,
} from "../conversation/settings/tool-selection.ts";
import { approve, respond } from "../conversation/turn/actions.ts";
import {
  Chat,
  type ChatEvent,
  type ChatPorts,
  type Phase,
  type TurnEnd,
} from "../conversation/turn/chat.ts";
import { saveText } from "../conversation/turn/save-before.ts";
import { usageText } from "../conversation/usage.ts";
import { visible } from "../shared/visible.ts";
import type { Exchange, Reference, Transcript } from "../transcript/transcript.ts";
import type { Approve, Command } from "./arguments.ts";
import { reportProblems } from "./check.ts";
import { exitCode, exitCodes, reportEnd } from "./end.ts";
import { print } from "./terminal.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type RunCommand = Extract<Command, { name: "run" }>;

/** Runs the turn of the last question on the file itself; returns the exit code. */
export async function run(
  app: App,
  command: RunCommand,
  notify: (text: string) => void,
): Promise<number> {
  const editor = await FileEditor.open(command.file, app.options.stateFolder);
  const { chat, origin, budget, stop, isStopped } = openRun(app, command, editor, notify);
  const { transcript } = await chat.read();
  reportProblems(app, command.file, editor, transcript);
  await origin.loaded(transcript);
  const openings = await origin.openings(transcript, readNext(transcript));
  if (openings.length > 0 && !command.trustHeader) {
    chat.close();
    notify(notTrusted(openings));
    return exitCodes.notTrusted;
  }
  await origin.agree(openings, "file");
  // Each handler runs once: the same signal again ends the process as it normally would.
  for (const signal of signals) process.once(signal, stop);
  try {
    const end = await runTurns(chat, command.approve, budget, isStopped);
    // The process ends after this function, so the topic is awaited.
    await chat.naming;
    const isSaved = await saveOrKeep(chat, transcript, notify);
    if (isSaved) await origin.written((await chat.read()).transcript);
    const last: TurnEnd = isSaved ? end : { type: "conflict" };
    const { chat: used } = chat.usage;
    if (used.requests > 0) notify(`used: ${usageText(used)}`);
    if (last.type === "await-approval") {
      await reportUnmatched(chat, command.approve, last.open, notify);
    }
    reportEnd(last, { steps: budget.asked(), notify: notify });
    return exitCode(last);
  } finally {
    for (const signal of signals) process.off(signal, stop);
    chat.close();
  }
}

/** The chat of the file, with what replaces a user; `stop` ends what is running and everything that follows. */
function openRun(
  app: App,
  command: RunCommand,
  editor: FileEditor,
  notify: (text: string) => void,
) {
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    chat.stop();
  };
  // Between two turns nothing is running that a signal could stop, so what follows is stopped as well.
  const goOn = () => {
    if (isStopped) chat.stop();
  };
  const { ports, origin } = openChat(app, {
    editor,
    path: () => editor.path,
    // There is no user to ask: what would need an approval is not done, and a notice says so.
    confirm: async () => false,
    agree: async ({ openings }) => ({
      allowed: openings.map(() => command.trustHeader),
      keep: "once",
    }),
    report(event) {
      report(event, notify);
      goOn();
    },
    model: command.model,
    tools: command.tools,
    budget: command.budget,
  });
  const budget = createBudget(command.maxSteps ?? ports.limits().modelCalls);
  const chat = new Chat({
    ...ports,
    ...budget.around(ports.stream),
    tools: {
      ...ports.tools,
      look(read) {
        goOn();
        return ports.tools.look(read);
      },
      current(read) {
        goOn();
        return ports.tools.current(read);
      },
    },
  });
  return { chat, origin, budget, stop, isStopped: () => isStopped };
}

/**
 * False when another program changed the file. A text that could not be saved may have been paid for, so it is kept.
 */
async function saveOrKeep(
  chat: Chat,
  before: Transcript,
  notify: (text: string) => void,
): Promise<boolean> {
  let isSaved = false;
  try {
    isSaved = (await saveText(chat)) === "saved";
  } finally {
    if (!isSaved) await keepText(chat, before, notify);
  }
  return isSaved;
}

async function keepText(
  chat: Chat,
  before: Transcript,
  notify: (text: string) => void,
): Promise<void> {
  const text = (await chat.read()).transcript.lines.join("\n");
  if (text === before.lines.join("\n")) return;
  try {
    const path = await chat.ports.keepReplaced(`${text}\n`);
    notify(`The chat with everything that arrived is kept for 30 days in ${path}.`);
  } catch (error) {
    // A full disk is usually the only disk.
    notify(
      `The chat with everything that arrived could not be kept anywhere (${reasonOf(error)}), so here it is.`,
    );
    print(`${text}\n`);
  }
}

/** The references of the last question, if it has no answer yet. */
function readNext(transcript: Transcript): readonly Reference[] {
  const exchange = lastQuestion(transcript);
  return exchange === null ? [] : referencesToRead(exchange, {});
}

function notTrusted(openings: readonly Opening[]): string {
  const lines = openings.map(({ text }) => `  ${text}`);
  const [why, next] = openings.some(({ isForeign }) => isForeign)
    ? [
        "This chat was not written on this machine, and would open:",
        "Look at the file; --trust-header allows this, now and from now on.",
      ]
    : ["The question names what looks like a secret:", "--trust-header sends it this time."];
  return [why, ...lines, `Nothing was sent. ${next}`].join("\n");
}

async function runTurns(
  chat: Chat,
  approved: Approve,
  budget: Budget,
  isStopped: () => boolean,
): Promise<TurnEnd> {
  const { transcript } = await chat.read();
  const exchange = lastQuestion(transcript);
  if (exchange === null) return { type: "await-question" };
  if (nextStep(transcript, exchange, emptySession).type === "open-question")
    return { type: "done" };
  let end = await respond(chat, exchange.range.start);
  while (end.type === "await-approval" && !isStopped()) {
    budget.nextTurn();
    const next = await approve(
      chat,
      ({ call }, tool, answer) =>
        call !== null && allows(approved, tool ?? { name: call.name, server: null }, answer),
    );
    if (next === null) return stillOpen(chat);
    end = next;
  }
  return end;
}

/** The calls that still wait after the approved ones were recorded. */
async function stillOpen(chat: Chat): Promise<TurnEnd> {
  const { transcript } = await chat.read();
  const exchange = transcript.exchanges.findLast(({ answer }) => answer !== null);
  const open = exchange ? openCalls(transcript, exchange, chat.session) : [];
  return { type: "await-approval", open };
}

type ApprovableTool = Pick<Tool, "name" | "server" | "group">;

function allows(approved: Approve, tool: ApprovableTool, answer: PolicyAnswer | null): boolean {
  if (typeof approved === "string") return approved === "all";
  return selects(approved, selectable(tool)) && whyNotByName(approved, tool, answer) === null;
}

/**
 * Names are typed before it is known what is called, so they allow no more than they would in a rule. Null: they allow
 * the call; else why not, as text after the name of the tool.
 */
function whyNotByName(
  approved: ToolSelection,
  { name, group }: ApprovableTool,
  answer: PolicyAnswer | null,
): string | null {
  const isCommand = group === builtinGroup && name === commandTool;
  if (isCommand && !selectsBuiltin(approved, name))
    return "runs commands, so only its own name allows it";
  if (answer !== "insist") return null;
  return "changes what other programs execute, or reads what looks like a secret: --approve all allows it, or a rule that names the file";
}

/** Reports words of --approve that match no tool, since a mistyped one would only wait, or that are not enough. */
async function reportUnmatched(
  chat: Chat,
  approved: Approve,
  open: readonly OpenCall[],
  notify: (text: string) => void,
): Promise<void> {
  if (typeof approved === "string") return;
  const { tools, judge } = await chat.ports.tools.current((await chat.read()).transcript);
  for (const { call: block } of open) {
    const tool = block.call && tools.get(block.call.name);
    if (!tool || block.call === null || !selects(approved, selectable(tool))) continue;
    const why = whyNotByName(approved, tool, (await judge(tool, block.call)).answer);
    if (why !== null) notify(`--approve: ${visible(tool.name)} in line ${block.line + 1} ${why}.`);
  }
  for (const word of approved.words) {
    const isMeant = [...tools.values()].some((tool) =>
      selects({ words: [{ ...word, removes: false }], others: false }, selectable(tool)),
    );
    if (!isMeant)
      notify(`--approve: ${visible(word.pattern)} matches none of the tools of this chat.`);
  }
}

/** The last exchange with a question; the empty `💬:` for the next question does not count. */
function lastQuestion({ exchanges }: Transcript): Exchange | null {
  return exchanges.findLast(({ question }) => question.text !== "") ?? null;
}

function report(event: ChatEvent, notify: (text: string) => void): void {
  if (event.type === "notice") notify(event.message);
  if (event.type === "phase" && event.phase.type === "streaming" && event.phase.doing === "waiting")
    notify(`asking ${event.phase.text} …`);
  if (event.type === "phase" && event.phase.type === "retrying") notify(retryText(event.phase));
  if (event.type === "phase" && event.phase.type === "tools")
    notify("running the approved calls …");
}

function retryText({ text, until, attempt, attempts }: Extract<Phase, { type: "retrying" }>) {
  const seconds = Math.ceil(Math.max(0, until - Date.now()) / 1000);
  return `retrying in ${seconds} s, attempt ${attempt} of ${attempts}: ${text}`;
}

/** Counts the model requests of the whole run across its turns. */
export interface Budget {
  /** Limits the next turn to what is left. */
  nextTurn(): void;
  asked(): number;
  around(stream: ChatPorts["stream"]): Pick<ChatPorts, "stream" | "limits">;
}

function createBudget(maxSteps: number): Budget {
  let asked = 0;
  let askedBefore = 0;
  return {
    nextTurn() {
      askedBefore = asked;
    },
    asked: () => asked,
    around: (stream) => ({
      limits: () => ({ modelCalls: maxSteps - askedBefore }),
      stream: (request, options) => {
        asked += 1;
        return stream(request, options);
      },
    }),
  };
}
