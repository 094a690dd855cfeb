/** Asks before a request about what a chat from elsewhere would open; what is not allowed is left out. */
import { dirname } from "node:path";
import type { PieceKey } from "../../conversation/decide/openings.ts";
import type { Failure } from "../../conversation/ports.ts";
import type { ChatEvent } from "../../conversation/turn/chat.ts";
import type { Reference, Transcript } from "../../transcript/transcript.ts";
import type { Agreement, ChatOrigin, Opening, OriginQuestion } from "./chat-origin.ts";

export interface ExitsChat {
  /** Path of the transcript; null while it has none. */
  path(): string | null;
  /** Asks what a chat from elsewhere may open; absent where there is no user to ask: then nothing of it is opened. */
  agree?(question: OriginQuestion): Promise<Agreement>;
  report(event: ChatEvent): void;
}

/** A request as it is to be made. */
interface Opened {
  /** Why no request is made: without the entry that was not allowed, another model would be asked. Null: it is made. */
  readonly refusal: Failure | null;
  /** Without the header entries that are not allowed. */
  readonly transcript: Transcript;
  /** The answers about references, by reference as written. */
  readonly decided: ReadonlyMap<string, boolean>;
}

export interface Exits {
  /** `isBegun`: the text has steps of this answer already; what was refused for them is refused again unasked. */
  open(
    transcript: Transcript,
    how: { readonly references: readonly Reference[]; readonly isBegun: boolean },
  ): Promise<Opened>;
}

export function createExits(
  chat: ExitsChat,
  origin: ChatOrigin,
  log: (text: string) => void,
): Exits {
  /** What was refused for the current answer. */
  const refused = new Set<PieceKey>();
  return {
    async open(transcript, { references, isBegun }) {
      if (!isBegun) refused.clear();
      const openings = await origin.openings(transcript, references);
      const named = origin.named(transcript);
      if (openings.length === 0) {
        if (named !== null) {
          const message = `The header of this chat was not written here; it sets ${named}.`;
          chat.report({ type: "notice", level: "info", message });
          // The request does not wait for this write.
          origin.noticeRead(transcript).catch((error: unknown) => log(`origin: ${error}`));
        }
        return { refusal: null, transcript, decided: new Map() };
      }
      const asked = openings.filter(({ piece }) => !refused.has(piece));
      const allowed = await askAbout(chat, origin, transcript, { openings: asked, named });
      for (const one of asked) if (!allowed.has(one)) refused.add(one.piece);
      const left = openings.filter((one) => !allowed.has(one));
      return {
        refusal: refusalOf(left),
        transcript: without(transcript, left),
        decided: new Map(
          openings.flatMap((one) =>
            one.type === "reference" ? [[one.name, allowed.has(one)] as const] : [],
          ),
        ),
      };
    },
  };
}

/** Header entries that choose the model. The user only pays for a model that they chose. */
const choosesModel = new Set(["model", "provider", "agent"]);

function refusalOf(left: readonly Opening[]): Failure | null {
  const names = left.filter(({ type, name }) => type === "header" && choosesModel.has(name));
  if (names.length === 0) return null;
  const words = names.map(({ text }) => text).join(" and ");
  const message = `Nothing was sent: you did not allow ${words}, and Parley does not ask another model instead. Choose one with :Parley model, or respond again and allow it.`;
  return { kind: "refused", message };
}

function without(transcript: Transcript, openings: readonly Opening[]): Transcript {
  const keys = new Set(openings.filter(({ type }) => type === "header").map(({ name }) => name));
  const entries = transcript.header.entries.filter(({ key }) => !keys.has(key));
  return { ...transcript, header: { ...transcript.header, entries } };
}

/** The openings that the user allows; reports those that are not allowed. */
async function askAbout(
  chat: ExitsChat,
  origin: ChatOrigin,
  transcript: Transcript,
  { openings, named }: Pick<OriginQuestion, "openings" | "named">,
): Promise<ReadonlySet<Opening>> {
  if (openings.length === 0) return new Set();
  const folder = dirname(chat.path() ?? ".");
  const answer = await chat.agree?.({ openings, named, folder });
  const isAllowed = (_: Opening, index: number) => answer?.allowed[index] === true;
  const allowed = openings.filter(isAllowed);
  await origin.agree(allowed, answer?.keep ?? "once");
  if (answer !== undefined) await origin.noticeRead(transcript);
  const left = openings.filter((one) => !allowed.includes(one));
  const words = left.map(({ text }) => text);
  // If no request is made, its failure says why.
  if (words.length > 0 && refusalOf(left) === null) {
    const message = `Left out, since you did not allow it: ${words.join("; ")}`;
    chat.report({ type: "notice", level: "info", message });
  }
  return new Set(allowed);
}
