/** What a tool gave back, made fit for the text: cut, with media and the full text beside the transcript. */
import type { KeptOutput } from "../conversation/chat.ts";
import { cutResult } from "../conversation/results.ts";
import type { ToolOutput } from "../conversation/types.ts";
import type { Attachment } from "../transcript/types.ts";
import { saveFullText, saveMedia } from "./media.ts";

export interface KeepOptions {
  /** Of the transcript; null while it has no file: then nothing can be kept beside it, and the text says so. */
  readonly path: string | null;
  /** Bytes of text that go into the transcript. */
  readonly limit: number;
}

/** Never throws: what cannot be kept is named in the text. */
export async function keepOutput(
  output: ToolOutput,
  { path, limit }: KeepOptions,
): Promise<KeptOutput> {
  const attachments: Attachment[] = [];
  const lost: string[] = [];
  for (const media of output.media) {
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
  // Below the cut, or a long result would hide what is missing.
  const notes = [...new Set(lost)].map((note) => oneLine(note));
  const whole = [text, ...notes].filter((part) => part !== "").join("\n");
  return { text: whole, attachments, fullText };
}

/** A note holds a server's word for the type, which may be anything. */
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
    return error instanceof Error ? error.message : String(error);
  }
}
