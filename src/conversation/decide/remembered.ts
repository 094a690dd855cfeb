/**
 * Remembered tools: a tool is allowed without a key only while both a call line marked by a `yA` or `yO` key and a
 * local record of that very line exist (format, section 9). The app stores the records.
 */
import { canonicalJson, sha256 } from "../../shared/hash.ts";
import { ellipsize, visible } from "../../shared/visible.ts";
import { type ApprovalKey, decisionRows, isRemembering } from "../../transcript/decisions.ts";
import type { CallBlock, Transcript } from "../../transcript/transcript.ts";
import type { CallSubject, Tool } from "../ports.ts";

/** What this machine knows about one line that a remembering key marked. Hashes are SHA-256 in hex. */
export interface RememberedRecord {
  /** Real path of the transcript. */
  readonly transcriptPath: string;
  /** Hash of the JSON of the marked line. */
  readonly lineHash: string;
  /** The server of the tool, by `serverKeyOf`; null for a tool that no server provides. */
  readonly serverKey: string | null;
  /** Hash of name, description, schema and annotations as they were when the key was pressed. */
  readonly definitionHash: string;
  /**
   * What the approval covers: the real path of the file that the marked call changes, or its command. Null: the tool.
   */
  readonly file: string | null;
  /** When the key was pressed, in milliseconds since the epoch. Absent: not known. */
  readonly since?: number;
}

/** What one approval, or several of the same, remembers in a chat now. */
export interface Memory {
  /** The name of the tool on the wire. */
  readonly tool: string;
  /** As in the record. */
  readonly file: string | null;
  /** The time of the first approval, in milliseconds since the epoch; null: not known. */
  readonly since: number | null;
  readonly records: readonly RememberedRecord[];
}

/** What memories compare of a call. */
export interface RememberedUse {
  readonly tool: Tool;
  /** What an approval of it is remembered for (`scopeOf`). */
  readonly changes: string | null;
}

/** What a remembered approval of such a call covers; null: its tool. */
export function scopeOf(subject: CallSubject | null): string | null {
  if (subject?.command === undefined) return subject?.changes ?? null;
  return `${subject.command}\n${subject.paths.folder?.real ?? ""}`;
}

const hashes = new WeakMap<Tool, string>();

/** Changes whenever something changes that the user could know about the tool; a tool that is offered never changes. */
export function definitionHash(tool: Tool): string {
  const known = hashes.get(tool);
  if (known !== undefined) return known;
  const { name, description, inputSchema, annotations } = tool;
  const hash = sha256(
    canonicalJson({ name, description, inputSchema, annotations: annotations ?? null }),
  );
  hashes.set(tool, hash);
  return hash;
}

/** Distinguishes a server from one of the same name in another project; null for a tool that no server provides. */
export function serverKeyOf({ server, serverFile }: Tool): string | null {
  return serverFile === undefined ? server : JSON.stringify([server, serverFile]);
}

/** Distinguishes a tool from another one of the same name; empty while none is offered. */
export function toolIdentity(tool: Tool | undefined): string {
  return tool === undefined ? "" : JSON.stringify([serverKeyOf(tool), definitionHash(tool)]);
}

/**
 * Returns the records that a key leaves: one for each line it marks, none for keys that do not remember. `path` is null
 * while the transcript has no file; then nothing can be remembered. Tools that are not offered now are left out.
 */
export function recordsFor(
  path: string | null,
  decidedCalls: readonly CallBlock[],
  tools: ReadonlyMap<string, Tool>,
  key: ApprovalKey,
  /** What each call is remembered for (`scopeOf`), by line. Absent: its tool. */
  changes: ReadonlyMap<number, string> = new Map(),
): readonly RememberedRecord[] {
  if (path === null || !decisionRows[key].remember) return [];
  return decidedCalls.flatMap((block) => {
    const tool = block.call && tools.get(block.call.name);
    if (!tool) return [];
    return [record(path, block.json, { tool, changes: changes.get(block.line) ?? null })];
  });
}

/** The mark of the line that currently remembers such a call in this transcript; null: the call is not remembered. */
export function rememberedBy(
  { tool, changes }: RememberedUse,
  transcript: Transcript,
  records: readonly RememberedRecord[],
  path: string | null,
): ApprovalKey | null {
  if (path === null) return null;
  const definition = definitionHash(tool);
  const serverKey = serverKeyOf(tool);
  const lines = new Set(
    records
      .filter(
        (known) =>
          known.transcriptPath === path &&
          known.serverKey === serverKey &&
          known.definitionHash === definition &&
          known.file === changes,
      )
      .map(({ lineHash }) => lineHash),
  );
  if (lines.size === 0) return null;
  const line = markedCalls(transcript).find(
    ({ call, json }) => call?.name === tool.name && lines.has(sha256(json)),
  );
  return line?.decision ?? null;
}

/** The records of this transcript whose line is gone or has lost its mark: they are dropped at once. */
export function staleRecords(
  transcript: Transcript,
  records: readonly RememberedRecord[],
  path: string,
): readonly RememberedRecord[] {
  const own = records.filter(({ transcriptPath }) => transcriptPath === path);
  if (own.length === 0) return [];
  const hashes = new Set(markedCalls(transcript).map(({ json }) => sha256(json)));
  return own.filter(({ lineHash }) => !hashes.has(lineHash));
}

/** What is remembered in this transcript, in the order of the lines that remember it. */
export function memoriesOf(
  transcript: Transcript,
  records: readonly RememberedRecord[],
  path: string,
): readonly Memory[] {
  const own = records.filter(({ transcriptPath }) => transcriptPath === path);
  if (own.length === 0) return [];
  const memories = new Map<string, Memory>();
  const used = new Set<RememberedRecord>();
  for (const { call, json } of markedCalls(transcript)) {
    const hash = sha256(json);
    for (const record of own) {
      if (record.lineHash !== hash || call === null || used.has(record)) continue;
      used.add(record);
      const key = JSON.stringify([call.name, record.serverKey, record.file]);
      const before = memories.get(key);
      const times = [before?.since, record.since].filter((time) => typeof time === "number");
      memories.set(key, {
        tool: call.name,
        file: record.file,
        since: times.length === 0 ? null : Math.min(...times),
        records: [...(before?.records ?? []), record],
      });
    }
  }
  return [...memories.values()];
}

/** For the user. `file` is the real path of a file, or a command with its folder in the next line. */
export function memoryName({ tool, file }: Memory): string {
  if (file === null) return visible(tool);
  const [what = "", folder = ""] = file.split("\n");
  const place = folder === "" ? "" : ` in ${visible(folder)}`;
  return `${visible(tool)} for ${ellipsize(visible(what), scopeLength)}${place}`;
}

/** In characters. */
const scopeLength = 120;

type MarkedCall = CallBlock & { readonly decision: ApprovalKey };

function markedCalls(transcript: Transcript): readonly MarkedCall[] {
  return transcript.exchanges
    .flatMap(({ answer }) => answer?.steps ?? [])
    .flatMap(({ calls }) => calls)
    .filter(isMarked);
}

function isMarked(block: CallBlock): block is MarkedCall {
  return block.call !== null && isRemembering(block.decision);
}

function record(
  transcriptPath: string,
  json: string,
  { tool, changes }: RememberedUse,
): RememberedRecord {
  return {
    transcriptPath,
    lineHash: sha256(json),
    serverKey: serverKeyOf(tool),
    definitionHash: definitionHash(tool),
    file: changes,
  };
}
