/**
 * What a respond would open because the text says so: ways out that matter when the text came from elsewhere (format,
 * section 9).
 */
import { canonicalJson, sha256 } from "../../shared/hash.ts";
import type {
  Header,
  HeaderEntry,
  Question,
  Reference,
  Transcript,
} from "../../transcript/transcript.ts";
import { parseModelName } from "../settings/model-name.ts";

/** Identifies one piece of the text, whatever its position: 32 hexadecimal digits. */
export type PieceKey = string;

export function headerPiece({ key, value, append }: HeaderEntry): PieceKey {
  return keyOf(["header", key, value, append]);
}

export function referencePiece({ source, kind, label }: Reference): PieceKey {
  return keyOf(["reference", kind, label, source]);
}

function keyOf(parts: readonly (string | boolean)[]): PieceKey {
  return sha256(canonicalJson(parts)).slice(0, 32);
}

/** All pieces of a text whose origin matters: the entries of its header, and the references of its questions. */
export function piecesOf({ header, exchanges }: Transcript): ReadonlySet<PieceKey> {
  const found = [header, ...exchanges.map(({ question }) => question)].map(
    (part) => pieces.get(part) ?? readPieces(part),
  );
  return new Set(found.flat());
}

const none: readonly PieceKey[] = [];

/** A header or a question is the same object until its lines change, and each save needs the pieces of all of them. */
const pieces = new WeakMap<Header | Question, readonly PieceKey[]>();

function readPieces(part: Header | Question): readonly PieceKey[] {
  const found =
    "entries" in part ? part.entries.map(headerPiece) : part.references.map(referencePiece);
  if (found.length === 0) return none;
  pieces.set(part, found);
  return found;
}

/** What the configuration lets a header do. */
export interface HeaderPermissions {
  /** Whether a rule allows tools without a key. */
  readonly allowsTools: boolean;
  /** Whether this agent has tools of the vendor, or rules files. */
  readonly opensByAgent: (agent: string) => boolean;
}

/** The entries of a header that open a way out, or let something run without asking. */
export function openingEntries(
  { entries }: Header,
  { allowsTools, opensByAgent }: HeaderPermissions,
): readonly HeaderEntry[] {
  const scripts = scriptEntries(entries);
  return entries.filter((entry) => {
    const { key, value } = entry;
    if (value.trim() === "") return false;
    if (["server_tools", "rules", "rules_files"].includes(key)) return true;
    if (key === "agent" && opensByAgent(value)) return true;
    // These only offer tools, which matters where a rule would allow some of them.
    return ((key === "tools" || key === "agent") && allowsTools) || scripts.has(entry);
  });
}

/**
 * Returns the entries that name a file as the model, in any pairing of `provider:` and `model:`, since another entry
 * may be left out. What a provider or a model does to a pair is determined without the other one, since a header may
 * have thousands of each.
 */
function scriptEntries(entries: readonly HeaderEntry[]): ReadonlySet<HeaderEntry> {
  const providers = entries.filter(({ key }) => key === "provider");
  const models = entries.filter(({ key }) => key === "model");
  const isPaired = providers.some(isMock);
  const scripts = models.filter(
    ({ value }) => isScript(value) || (isPaired && isScript(`mock/${value}`)),
  );
  // The provider `mock/file:/tmp` turns every model into a path.
  const paths = providers.filter(({ value }) => isScript(`${value}/model`));
  if (paths.length > 0) return new Set([...models, ...providers]);
  return new Set(scripts.length === 0 ? [] : [...scripts, ...providers.filter(isMock)]);
}

const isMock = ({ value }: HeaderEntry) => value.trim() === "mock";

function isScript(text: string): boolean {
  const name = parseModelName(text);
  return name?.provider === "mock" && name.id.startsWith("file:");
}

const named = new Set(["model", "provider", "system_prompt", "role", "tool_protocol"]);

/** Entries that change which model is asked, and how; the user sees their names but is not asked about them. */
export function namedEntries({ entries }: Header): readonly HeaderEntry[] {
  return entries.filter(({ key, value }) => named.has(key) && value.trim() !== "");
}
