/** Makes a tool's output fit for the transcript: cut, with media and the full text in files next to it. */

import type { ToolOutput } from "../../conversation/ports.ts";
import { cutResult, harmless } from "../../conversation/results.ts";
import type { KeptOutput } from "../../conversation/turn/chat.ts";
import { counted } from "../../shared/counted.ts";
import type { Attachment } from "../../transcript/transcript.ts";
import { reasonOf } from "../files/reason-of.ts";
import { saveFullText, saveMedia } from "./media.ts";

export interface KeepOptions {
  /** Path of the transcript; null while it has no file: then no files are kept, and the text says so. */
  readonly path: string | null;
  /** The most bytes of text that go into the transcript. */
  readonly limit: number;
}

/** Never throws; the text names what could not be kept. */
export async function keepOutput(
  output: ToolOutput,
  { path, limit }: KeepOptions,
): Promise<KeptOutput> {
  const attachments: Attachment[] = [];
  const lost: string[] = [];
  const first = few(output.media);
  if (first.left !== null) lost.push(`[${first.left}]`);
  for (const media of first.media) {
    const kept = await keep(path, (folder) => saveMedia(folder, media));
    if (typeof kept === "string") lost.push(`[${media.mime}, not kept: ${kept}]`);
    else attachments.push(kept);
  }
  const { text, cut } = cutResult(output.text, limit);
  const full = cut
    ? await keep(path, async (folder) => ({ name: await saveFullText(folder, output.text) }))
    : null;
  if (typeof full === "string") lost.push(`[the full text, not kept: ${full}]`);
  const fullText = full === null || typeof full === "string" ? null : full.name;
  const personal = output.personal === undefined ? null : await keepPersonal(output.personal, path);
  lost.push(...(personal?.notes ?? []));
  // Placed below the cut, so that a long result does not hide what is missing.
  const notes = [...new Set(lost)].map((note) => oneLine(note));
  const whole = [text, ...notes].filter((part) => part !== "").join("\n");
  return { text: whole, attachments, fullText, notices: personal?.notices ?? [] };
}

/** The most media of one result: each is a file, a part of the result's line, and an image of later requests. */
const mostMedia = 100;

/** The media that are kept, and a sentence part about the others; null if there are none. */
function few(media: ToolOutput["media"]) {
  const more = media.length - mostMedia;
  const left = more <= 0 ? null : `${counted(more, "more file")} not kept: a result has too many`;
  return { media: media.slice(0, mostMedia), left };
}

/** Output that is not for the model is kept next to the transcript and shown; the text only says that it exists. */
async function keepPersonal(
  { text, media }: NonNullable<ToolOutput["personal"]>,
  path: string | null,
): Promise<{ readonly notes: readonly string[]; readonly notices: readonly string[] }> {
  const first = few(media);
  const all = await Promise.all([
    keep(path, async (folder) => ({ file: await saveFullText(folder, text) })),
    ...first.media.map((one) => keep(path, (folder) => saveMedia(folder, one))),
  ]);
  const kept = all.flatMap((one) => (typeof one === "string" ? [] : [one.file]));
  const reasons = new Set(all.filter((one) => typeof one === "string"));
  const parts = [
    "shown only to the user",
    ...(kept.length === 0 ? [] : [`kept as ${kept.join(", ")}`]),
    ...(reasons.size === 0 ? [] : [`not kept: ${[...reasons].join("; ")}`]),
    ...(first.left === null ? [] : [first.left]),
  ];
  return {
    notes: [`[${parts.join(", ")}]`],
    notices: [`A tool's result has this for you, not for the model:\n${harmless(text)}`],
  };
}

/** A note contains the type that a server declares, which may be any text. */
function oneLine(note: string): string {
  return cutResult(note.replaceAll(/\s+/g, " "), 500).text.replaceAll("\n", " ");
}

async function keep<T>(
  path: string | null,
  save: (path: string) => Promise<T>,
): Promise<T | string> {
  if (path === null) return "the chat has no file yet";
  try {
    return await save(path);
  } catch (error) {
    return reasonOf(error);
  }
}
