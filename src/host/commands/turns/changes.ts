/** `:Parley changes` and `:Parley undo-edits`: what the edit tools changed in files in the turn at the cursor. */
import { changeLines } from "../../../app/builtin/change-lines.ts";
import {
  changedPlaces,
  planUndo,
  type SettledEdit,
  settledEdits,
  type UndoPlan,
} from "../../../app/builtin/turn-edits.ts";
import { executedWords, isExecutedByOthers } from "../../../app/tools/executed-files.ts";
import { exchangeAtLine } from "../../../conversation/decide/session.ts";
import { counted } from "../../../shared/counted.ts";
import { messageOf } from "../../../shared/json.ts";
import type { HostChat } from "../../chat/host-chat.ts";
import { appliedEdits, editSurroundings } from "./apply.ts";

export async function showChanges(chat: HostChat, line: number): Promise<void> {
  const edits = await editsAt(chat, line);
  if (edits.length === 0) return;
  const places = await changedPlaces(edits, editSurroundings(chat));
  await chat.host.lua.call("changes", { places });
}

/** Asks with the diff first; each file is one undo step of its buffer. */
export async function undoEdits(chat: HostChat, line: number): Promise<void> {
  const { host } = chat;
  if (chat.chat.active !== null) {
    host.notify("warn", "An answer is under way. Stop it before you take its edits back.");
    return;
  }
  const edits = await editsAt(chat, line);
  if (edits.length === 0) return;
  const plan = await planUndo(edits, editSurroundings(chat));
  if (plan.changes.length === 0) {
    host.notify("warn", ["Nothing was taken back.", ...plan.left].join("\n"));
    return;
  }
  const prompt = `Take back ${counted(plan.count, "edit")} in ${counted(plan.changes.length, "file")}?`;
  const details = await shownPlan(chat, plan);
  // The user just asked for this, so the question need not wait until they stop typing.
  if ((await host.ask({ kind: "confirm", prompt, details })) !== true) return;
  await carryOut(chat, plan);
}

async function carryOut(chat: HostChat, { changes, left }: UndoPlan): Promise<void> {
  const { workspace, access } = editSurroundings(chat);
  const done: string[] = [];
  const failed = [...left];
  for (const { path, before, after } of changes) {
    try {
      // A link may have been put there since the diff was shown.
      if ((await access.find(path)) !== path) throw new Error(`${path} is another file now.`);
      await workspace.write(path, { expected: before, text: after });
      done.push(access.shown(path));
    } catch (error) {
      failed.push(messageOf(error));
    }
  }
  const said = done.length === 0 ? "Nothing was taken back." : `Taken back: ${done.join(", ")}.`;
  chat.host.notify(failed.length === 0 ? "info" : "warn", [said, ...failed].join("\n"));
}

async function shownPlan(chat: HostChat, { changes, left }: UndoPlan): Promise<readonly string[]> {
  const { access } = editSurroundings(chat);
  // The calls and results come from the text, which may come from anyone.
  const warning = (path: string) => (isExecutedByOthers(path) ? [executedWords] : []);
  const diffs = await Promise.all(
    changes.map(async (change) => [
      ...warning(change.path),
      ...(await changeLines(change, access.shown(change.path))),
    ]),
  );
  return [...diffs.flat(), ...left];
}

/** Shows a message when there are none. */
async function editsAt(chat: HostChat, line: number): Promise<readonly SettledEdit[]> {
  const { transcript } = await chat.chat.read();
  const exchange = exchangeAtLine(transcript, line);
  const edits =
    exchange === null
      ? []
      : [...settledEdits(exchange), ...appliedEdits(chat, exchange.question.text)];
  if (edits.length === 0) {
    chat.host.notify(
      "info",
      "None of Parley's edit tools changed a file in the turn at the cursor.",
    );
  }
  return edits;
}
