/** A chat for people who have no Parley: Markdown, or one HTML file with its images in it. */
import type { Transcript } from "../../transcript/transcript.ts";
import { loadFiles } from "../references/files.ts";
import { imagesOf, sharedChat } from "./shared-chat.ts";

export const exportFormats = ["html", "markdown"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The end of a file's name, with its dot. */
export const exportEndings: Readonly<Record<ExportFormat, string>> = {
  html: ".html",
  markdown: ".export.md",
};

export interface Exported {
  readonly text: string;
  /** Sentences about images that are there and cannot be shown. */
  readonly notices: readonly string[];
}

/** `path` is where the chat lies. Nothing but images of its files folder is read. */
export async function exportChat(
  transcript: Transcript,
  path: string,
  format: ExportFormat,
): Promise<Exported> {
  const chat = sharedChat(transcript, path);
  const { files, notices } = await loadFiles(path, imagesOf(chat));
  const images = new Map<string, string>();
  for (const [name, file] of files) {
    if (file.kind === "image") images.set(name, `data:${file.mime};base64,${file.data}`);
  }
  return { text: await pageOf(format, chat, images), notices };
}

/** The reader of Markdown takes time to load. */
async function pageOf(
  format: ExportFormat,
  ...page: Parameters<typeof import("./html-page.ts").htmlPage>
): Promise<string> {
  switch (format) {
    case "html":
      return (await import("./html-page.ts")).htmlPage(...page);
    case "markdown":
      return (await import("./markdown-page.ts")).markdownPage(...page);
  }
}
