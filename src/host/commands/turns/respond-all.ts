/** `:Parley respond_all`: answers all questions again, from the one at the cursor. */

import { anchoredExchange } from "../../../conversation/decide/session.ts";
import { counted } from "../../../shared/counted.ts";
import { confirmation } from "../../asking/questions.ts";
import type { HostChat } from "../../chat/host-chat.ts";

/**
 * Asks once for approval, and asks the model the questions that this was for, wherever they are by then. Stops when an
 * answer does not end well, or a question was changed. A stop between two answers counts, too.
 */
export async function respondAll(
  chat: HostChat,
  line: number,
  stopped: AbortSignal,
): Promise<void> {
  const { exchanges } = (await chat.chat.read()).transcript;
  const first = exchanges.findLast(({ range }) => range.start <= line)?.index ?? 0;
  const asked = exchanges.slice(first).filter(({ question }) => question.text !== "");
  const answered = asked.filter(({ answer }) => answer !== null).length;
  const notify = (text: string) => chat.host.notify("info", text, chat.editor.number);
  if (asked.length === 0) return notify("There is no question from here on.");
  const questions = counted(asked.length, "question");
  const prompt = `Ask ${questions} again from here, and replace the answers? The old ones are kept for 30 days.`;
  if (answered > 0 && (await chat.host.ask(confirmation(prompt))) !== true) return;
  let last = first - 1;
  for (const [done, { question }] of asked.entries()) {
    const now = (await chat.chat.read()).transcript.exchanges;
    const next = now.find((each) => each.index > last && each.question.text === question.text);
    if (next === undefined) {
      const others = counted(asked.length - done, "question");
      return notify(`You changed what comes next, so ${others} of those were not asked again.`);
    }
    const end = await chat.again(next.range.start, stopped);
    if (end.type !== "done") return;
    const { transcript } = await chat.chat.read();
    last = anchoredExchange(transcript, chat.chat.session.turn?.exchange)?.index ?? next.index;
  }
}
