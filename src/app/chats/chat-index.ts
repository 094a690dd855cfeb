/**
 * All chats of the chat folders with what a list shows of them. The index is kept between sessions, so that only
 * changed files are read; losing it costs one longer reading.
 */
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { createYield } from "../../shared/event-loop.ts";
import { parseJson } from "../../shared/json.ts";
import { isBelow } from "../../system/paths.ts";
import { readRegularTextNow } from "../../system/regular-file.ts";
import { realPath } from "../files/inside.ts";
import { type AttachedChats, attachedChats } from "../state/attached.ts";
import { readOwn, writeOwn } from "../state/own-files.ts";
import { largestChat } from "./read-chat.ts";
import { type ChatSummary, chatStates, summariseChat } from "./summary.ts";

export interface ListedChat extends ChatSummary {
  /** Absolute. */
  readonly path: string;
  /** When the file was last written, in milliseconds since 1970. */
  readonly modified: number;
  /** In bytes. */
  readonly size: number;
}

export interface ChatIndex {
  /**
   * Returns every chat, the last written first. While files are still being read, `onPart` is called whenever more is
   * known, so that a list can be drawn at once. A folder that does not exist holds no chats.
   */
  refresh(onPart?: () => void): Promise<readonly ListedChat[]>;
  /** The chats known so far; empty before the first refresh. */
  chats(): readonly ListedChat[];
  isReading(): boolean;
  /** The chats whose text contains `words`, in the order of the list; stops when the signal is aborted. */
  search(words: string, signal: AbortSignal): Promise<readonly string[]>;
}

export interface ChatIndexOptions {
  /** Absolute; read at each refresh. Files elsewhere that the user attached as chats are listed too. */
  readonly folders: () => readonly string[];
  readonly stateFolder: string;
}

/** Where the index is kept in the state folder. */
export const indexFile = "chats.json";
/** The most bytes that the kept index may have: 10,000 chats take about six million. */
const largestIndex = 64 * 1024 * 1024;
const version = 1;

const keptSchema = z.object({
  version: z.literal(version),
  chats: z.array(
    z.object({
      path: z.string(),
      modified: z.number(),
      size: z.number(),
      topic: z.string(),
      model: z.string(),
      tags: z.array(z.string()),
      questions: z.number(),
      state: z.enum(chatStates),
      waiting: z.number(),
      notes: z.string(),
    }),
  ),
});

export function createChatIndex(options: ChatIndexOptions): ChatIndex {
  let known: ReadonlyMap<string, ListedChat> | null = null;
  let listed: readonly ListedChat[] = [];
  let running: Promise<readonly ListedChat[]> | null = null;

  const refresh = async (onPart: () => void) => {
    const before = known ?? (await readKept(options.stateFolder));
    const files = await chatFiles(options.folders(), attachedChats(options.stateFolder));
    const chats = await summariseChanged(files, before, (part) => {
      listed = part.filter(isChat);
      onPart();
    });
    const isSame =
      chats.length === before.size && chats.every((chat) => before.get(chat.path) === chat);
    known = new Map(chats.map((chat) => [chat.path, chat]));
    listed = chats.filter(isChat);
    // An index that could not be kept only means that the files are read again next time.
    if (!isSame) await keep(options.stateFolder, chats).catch(() => {});
    return listed;
  };

  return {
    refresh(onPart = () => {}) {
      running ??= refresh(onPart).finally(() => {
        running = null;
      });
      return running;
    },
    chats: () => listed,
    isReading: () => running !== null,
    async search(words, signal) {
      const wanted = words.toLowerCase();
      const found: string[] = [];
      await inSlices(listed, ({ path }) => {
        if (!signal.aborted && readText(path)?.toLowerCase().includes(wanted)) found.push(path);
      });
      return found;
    },
  };
}

function isChat({ state }: ListedChat): boolean {
  return state !== "none";
}

interface ChatFile {
  readonly path: string;
  readonly modified: number;
  readonly size: number;
}

/** Markdown files in the folders and below them, and the attached ones, the last written first. */
async function chatFiles(
  folders: readonly string[],
  attached: AttachedChats,
): Promise<readonly ChatFile[]> {
  // Attached paths are real paths. A file inside a chat folder is listed once, under its path there.
  const real = await Promise.all(folders.map(async (folder) => (await realPath(folder)) ?? folder));
  const isElsewhere = (path: string) => !real.some((folder) => isBelow(folder, path));
  const more = await Promise.all(attached.folders.filter(isElsewhere).map(markdownIn));
  const own = await Promise.all(folders.map(markdownIn));
  const paths = [...own, ...more, attached.files.filter(isElsewhere)].flat();
  const files: ChatFile[] = [];
  await inSlices([...new Set(paths)], (path) => {
    // A file that was deleted meanwhile is left out.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) files.push({ path, modified: stats.mtimeMs, size: stats.size });
  });
  return files.toSorted((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1));
}

/** Files folders of chats, and packages that the user added. */
const holdsNoChats = /\.files$|^node_modules$/;

/** Skips files folders and hidden folders, which hold no chats, and links to folders, which may form a circle. */
async function markdownIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".")) return [];
      if (entry.isDirectory()) return holdsNoChats.test(entry.name) ? [] : markdownIn(path);
      return /\.(?:md|markdown)$/.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat();
}

async function summariseChanged(
  files: readonly ChatFile[],
  before: ReadonlyMap<string, ListedChat>,
  onPart: (chats: readonly ListedChat[]) => void,
): Promise<readonly ListedChat[]> {
  const changed: { readonly file: ChatFile; readonly index: number }[] = [];
  // Each row is made once: parts of the list are reported while thousands of files are still unread.
  const listed = files.map((file, index): ListedChat => {
    const chat = before.get(file.path);
    if (chat?.modified === file.modified && chat.size === file.size) return chat;
    changed.push({ file, index });
    return { ...unread, ...file };
  });
  onPart(listed);
  let reportedAt = performance.now();
  await inSlices(changed, ({ file, index }) => {
    listed[index] = { ...file, ...summaryOf(file) };
    if (performance.now() - reportedAt < partInterval) return;
    onPart(listed);
    reportedAt = performance.now();
  });
  return listed;
}

/** Milliseconds between two parts of a list that is still being read. */
const partInterval = 150;

const unread: ChatSummary = {
  topic: "",
  model: "",
  tags: [],
  questions: 0,
  state: "empty",
  waiting: 0,
  notes: "",
};

/** A file that cannot be read is listed by its name. */
function summaryOf({ path }: ChatFile): ChatSummary {
  const text = readText(path);
  return text === null ? unread : summariseChat(text);
}

function readText(path: string): string | null {
  try {
    return readRegularTextNow(path, largestChat);
  } catch {
    // The file is gone or may not be read. Neovim reports that when the user opens it.
    return null;
  }
}

/**
 * Does the work on all items and yields to other tasks in between. Without a promise for each file, small files are
 * read five times as fast.
 */
async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  const yieldNow = createYield();
  for (const item of items) {
    work(item);
    const wait = yieldNow();
    if (wait) await wait;
  }
}

async function readKept(stateFolder: string): Promise<ReadonlyMap<string, ListedChat>> {
  const text = await readOwn(join(stateFolder, indexFile), largestIndex).catch(() => "gone");
  const kept = keptSchema.safeParse(parseJson(text));
  return new Map((kept.data?.chats ?? []).map((chat) => [chat.path, chat]));
}

async function keep(stateFolder: string, chats: readonly ListedChat[]): Promise<void> {
  await writeOwn(stateFolder, indexFile, JSON.stringify({ version, chats }));
}
