/** `:Parley respond_all`: answers all questions again, from the one at the cursor. */

import { counted } from "../../../shared/counted.ts";
import { confirmation } from "../../asking/questions.ts";
import type { HostChat } from "../../chat/host-chat.ts";

/** Asks once for approval; stops when an answer does not end well. A stop between two answers counts, too. */
export async function respondAll(
  chat: HostChat,
  line: number,
  stopped: AbortSignal,
): Promise<void> {
  const { exchanges } = (await chat.chat.read()).transcript;
  const first = exchanges.findLast(({ range }) => range.start <= line)?.index ?? 0;
  const asked = exchanges.slice(first).filter(({ question }) => question.text !== "");
  const answered = asked.filter(({ answer }) => answer !== null).length;
  if (asked.length === 0) {
    chat.host.notify("info", "There is no question from here on.", chat.editor.number);
    return;
  }
  const questions = counted(asked.length, "question");
  const prompt = `Ask ${questions} again from here, and replace the answers? The old ones are kept for 30 days.`;
  if (answered > 0 && (await chat.host.ask(confirmation(prompt))) !== true) return;
  for (let index = first; ; index += 1) {
    const exchange = (await chat.chat.read()).transcript.exchanges[index];
    if (exchange === undefined || exchange.question.text === "") return;
    const end = await chat.again(exchange.range.start, stopped);
    if (end.type !== "done") return;
  }
}
