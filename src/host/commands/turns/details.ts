/** `K` on a call: everything known about it, or its outcome, in a floating window. */
import { callFacts } from "../../../app/open-chat/call-facts.ts";
import { callDetails, settledDetails } from "../../../conversation/call-view.ts";
import { askedAgainText } from "../../../conversation/decide/judge-calls.ts";
import { openCalls } from "../../../conversation/decide/next-step.ts";
import { exchangeAtLine } from "../../../conversation/decide/session.ts";
import { reopenedText } from "../../../conversation/waiting-text.ts";
import type { CallBlock, Exchange, Transcript } from "../../../transcript/transcript.ts";
import type { HostChat } from "../../chat/host-chat.ts";

/** `text` is the line as it was on screen. */
export async function showDetails(
  shown: HostChat,
  { line, text }: { readonly line: number; readonly text: string },
): Promise<void> {
  const { chat, host } = shown;
  const { transcript } = await chat.read();
  const exchange = exchangeAtLine(transcript, line);
  const block = exchange?.answer?.steps
    .flatMap(({ calls }) => calls)
    .find((call) => call.line === line && call.lineText === text);
  if (exchange === null || block === undefined) {
    host.notify("warn", "The call changed since it was on screen; look at it again.");
    return;
  }
  const lines =
    block.result === null
      ? await openDetails(shown, transcript, exchange, block)
      : settledDetails(block, block.result);
  await host.lua.call("float", { lines, title: `line ${line + 1}` });
}

async function openDetails(
  shown: HostChat,
  transcript: Transcript,
  exchange: Exchange,
  block: CallBlock,
): Promise<readonly string[]> {
  const { chat, host } = shown;
  const facts = await callFacts(host.app, chat.ports, transcript, { exchange, block });
  const again = askedAgainText(block.call, {
    repeated: chat.repeated,
    forgotten: shown.origin.forgotten(),
  });
  const open = openCalls(transcript, exchange, chat.session).find(({ call }) => call === block);
  const reopened = open === undefined ? null : reopenedText(open.reason);
  const history = [reopened, ...facts.history, again].filter((sentence) => sentence !== null);
  return callDetails(block, { ...facts, history });
}
