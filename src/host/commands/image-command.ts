/** `:Parley image`: inserts an image into the question at the cursor. */

import { type ImageSource, takeImage } from "../../app/references/take-image.ts";
import { messageOf } from "../../shared/json.ts";
import type { Edit, Transcript } from "../../transcript/transcript.ts";
import type { HostChat } from "../chat/host-chat.ts";

const sources: readonly ImageSource[] = ["clipboard", "capture"];

export async function insertImage(
  { chat, path, host }: HostChat,
  word: string,
  line: number,
): Promise<void> {
  const source = sources.find((known) => known === word);
  if (source === undefined) {
    host.notify(
      "warn",
      `:Parley image takes ${sources.join(" or ")}, not ${JSON.stringify(word)}.`,
    );
    return;
  }
  if (path === "") {
    host.notify("warn", "The chat has no file yet to keep the image beside: :write it first.");
    return;
  }
  if (questionLine((await chat.read()).transcript, line) === null) {
    host.notify("warn", "The cursor is not in a question; put it where the image belongs.");
    return;
  }
  let target: string;
  try {
    target = await takeImage(source, host.app.now.configuration.image_commands, path);
  } catch (error) {
    host.notify("warn", messageOf(error));
    return;
  }
  const written = await chat.edit(chat.newUndoGroup(), (transcript) => {
    const at = questionLine(transcript, line);
    return at === null ? null : { edits: [imageEdit(transcript, at, `![](${target})`)] };
  });
  if (written === null) {
    host.notify("warn", `The question changed in the meantime; the image is kept as ${target}.`);
  }
}

/** The line if it is in a question, else null. */
function questionLine({ exchanges }: Transcript, line: number): number | null {
  const isThere = exchanges.some(
    ({ question }) => question.range.start <= line && line < question.range.end,
  );
  return isThere ? line : null;
}

/** An image needs a line of its own (format, section 10). */
function imageEdit({ lines }: Transcript, line: number, image: string): Edit {
  const isBlank = (lines[line] ?? "").trim() === "";
  return { start: isBlank ? line : line + 1, end: line + 1, lines: [image] };
}
