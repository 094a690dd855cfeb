/** `:Parley apply`: writes the code block at the cursor into its file after the user approved the diff. */
import { pathAccessOptions } from "../../../app/app-parts.ts";
import {
  type ApplyPlan,
  type ApplySurroundings,
  carryOutApply,
  planApply,
} from "../../../app/builtin/apply-block.ts";
import { codeBlockAt, namedPath } from "../../../app/builtin/code-block.ts";
import { doneText } from "../../../app/builtin/edit-file.ts";
import { createPathAccess, NotAllowed } from "../../../app/builtin/path-access.ts";
import type { SettledEdit } from "../../../app/builtin/turn-edits.ts";
import { fileWorkspace } from "../../../app/files/file-workspace.ts";
import { exchangeAtLine } from "../../../conversation/decide/session.ts";
import { messageOf } from "../../../shared/json.ts";
import { visible } from "../../../shared/visible.ts";
import { insertQuestion } from "../../../transcript/edits/header-edits.ts";
import { escapeReferences } from "../../../transcript/references.ts";
import type { HostChat } from "../../chat/host-chat.ts";

/** What was applied while the chat is open, by question: `:Parley changes` and `undo-edits` include it. */
const applied = new WeakMap<
  HostChat,
  { readonly question: string; readonly edit: SettledEdit }[]
>();

/** The applied blocks of the exchange with this question, in order. */
export function appliedEdits(chat: HostChat, question: string): readonly SettledEdit[] {
  return (applied.get(chat) ?? []).flatMap((one) => (one.question === question ? [one.edit] : []));
}

/** Words name the file, instead of the block. */
export async function applyBlock(
  chat: HostChat,
  words: readonly string[],
  line: number,
): Promise<void> {
  const { host, chat: core } = chat;
  if (core.active !== null) {
    host.notify("warn", "An answer is under way. Wait until it ends or stop it, then apply.");
    return;
  }
  const { transcript } = await core.read();
  const block = codeBlockAt(transcript.lines, line);
  if (block === null || block.lines.length === 0) {
    host.notify("warn", "The cursor is not in a code block, so nothing was applied.");
    return;
  }
  const path = words.join(" ") || namedPath(block) || (await askPath(chat));
  if (path === null) return;
  try {
    const plan = await planApply(block, path, surroundings(chat));
    const verb = plan.change.before === null ? "Make" : "Change";
    const prompt = `${verb} ${plan.change.path} as in this code block?`;
    if ((await host.ask({ kind: "confirm", prompt, details: plan.lines })) !== true) return;
    const text = await carryOutApply(plan, surroundings(chat));
    const result = await doneText(plan.change, text, plan.shown);
    const exchange = exchangeAtLine(transcript, block.line);
    remember(chat, exchange?.question.text ?? "", plan, result);
    const [done = ""] = visible(result.split("\n", 1)[0] ?? "").split("\n");
    await note(chat, done);
    const back =
      plan.change.before === null
        ? "It is a new file: delete it to undo this."
        : "u in it takes that back, and so does :Parley undo-edits.";
    host.notify("info", `${done} ${back}`);
  } catch (error) {
    if (error instanceof NotAllowed) return;
    host.notify("warn", `Nothing was applied. ${visible(messageOf(error))}`);
  }
}

async function askPath({ host }: HostChat): Promise<string | null> {
  const prompt = "The block names no file. Apply it to: ";
  const typed = await host.ask({ kind: "input", prompt });
  return typeof typed === "string" && typed.trim() !== "" ? typed.trim() : null;
}

function remember(chat: HostChat, question: string, { change }: ApplyPlan, result: string): void {
  const edit: SettledEdit = {
    ...{ tool: "apply", path: change.path, result, whole: change },
    replacements: change.before === null ? null : [],
  };
  applied.set(chat, [...(applied.get(chat) ?? []), { question, edit }]);
}

/** A note for the model that goes with the next question; sends no request. */
async function note(chat: HostChat, done: string): Promise<void> {
  const { chat: core } = chat;
  const text = escapeReferences(`(I applied a code block: ${done})`);
  await core.edit(core.newUndoGroup(), (transcript) => {
    const open = transcript.exchanges.at(-1) ?? null;
    return { edits: [insertQuestion(transcript, open, text)] };
  });
  await chat.refresh();
}

/** The workspace and the access to paths for edits that the user makes by a command. */
export function editSurroundings({ host: { app } }: HostChat) {
  const access = createPathAccess(pathAccessOptions(app.options, () => app.workingDirectory));
  return { workspace: app.options.workspace ?? fileWorkspace, access };
}

function surroundings(chat: HostChat): ApplySurroundings {
  const { app } = chat.host;
  const edits = editSurroundings(chat);
  return {
    ...edits,
    async denial(written) {
      const path = await edits.access.callPath(written);
      return app.readDenial(path) ?? app.changeDenial(path);
    },
  };
}
