/** One dialog about all that a chat from elsewhere would open. */
import type { Agreement, OriginQuestion } from "../app/chat-origin.ts";
import { visible } from "../shared/visible.ts";
import { confirmation, type QuestionOptions } from "./questions.ts";

type Ask = (question: QuestionOptions) => Promise<unknown>;

export async function askAboutOrigin(
  ask: Ask,
  { openings, named, folder }: OriginQuestion,
): Promise<Agreement> {
  const all = (isAllowed: boolean) => openings.map(() => isAllowed);
  const items = [
    { label: "No, open none of it", value: "none" },
    { label: "Yes, for this file", value: "file" },
    { label: `Yes, for all chats in ${visible(folder)}`, value: "folder" },
    ...(openings.length > 1 ? [{ label: "Choose line by line", value: "each" }] : []),
  ];
  const answer = await ask({
    kind: "select",
    prompt: "This was not written in this Neovim. Open it?",
    details: [
      "The chat would open:",
      ...openings.map(({ text }) => `  ${text}`),
      ...(named === null ? [] : [named]),
    ],
    items,
    patient: true,
  });
  if (answer === "file" || answer === "folder") return { allowed: all(true), keep: answer };
  if (answer !== "each") return { allowed: all(false), keep: "once" };
  const allowed: boolean[] = [];
  for (const { text } of openings) {
    allowed.push((await ask(confirmation(`Open this? ${text}`))) === true);
  }
  return { allowed, keep: "file" };
}
