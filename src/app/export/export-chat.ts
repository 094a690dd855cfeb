/** Exports a chat for people without Parley: as Markdown, or as one HTML file with its images in it. */

import { createYield } from "../../shared/event-loop.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import { loadFiles } from "../references/files.ts";
import { type Page, PageImages } from "./page.ts";
import { imagesOf, type SharedChat, sharedChat } from "./shared-chat.ts";

export const exportFormats = ["html", "markdown"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The ending of the file's name, with its dot. */
export const exportEndings: Readonly<Record<ExportFormat, string>> = {
  html: ".html",
  markdown: ".export.md",
};

export interface Exported {
  readonly text: string;
  /** Sentences about images that exist but cannot be shown. */
  readonly notices: readonly string[];
}

/** `path` is the path of the chat. Only images in its files folder are read. */
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
  return { text: await pageOf(format, chat, new PageImages(images)), notices };
}

/** The pages load on first use, because the Markdown parser takes time to load. */
const pages: Readonly<Record<ExportFormat, (title: string) => Promise<Page>>> = {
  html: async (title) => (await import("./html-page.ts")).htmlPage(title),
  markdown: async (title) => (await import("./markdown-page.ts")).markdownPage(title),
};

async function pageOf(
  format: ExportFormat,
  { title, turns }: SharedChat,
  images: PageImages,
): Promise<string> {
  const page = await pages[format](title);
  // Ten thousand exchanges take a second, in which other chats go on.
  const yieldNow = createYield();
  const parts: string[] = [];
  for (const turn of turns) {
    await yieldNow();
    parts.push(page.turn(turn, images));
  }
  return page.whole(parts);
}
