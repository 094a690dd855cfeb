/** Everything that the program makes of one chat, as plain JSON. Its sentences are left out: words may change. */
import { createHash } from "node:crypto";
import { chatEdits, editsOf } from "./edits.ts";
import {
  chatOptions,
  chatSettings,
  type Exchange,
  emptySession,
  nextStep,
  type Problem,
  parseTranscript,
  previewRequest,
  type Session,
  sources,
  type Transcript,
} from "./program.ts";

/** One model of each vendor and wire API; the first of each API is shown in full. */
const models = [
  "openai/gpt-4.1",
  "openai/gpt-5.5-pro",
  "anthropic/claude-sonnet-4-6",
  "openai/gpt-5.5",
  "anthropic/claude-haiku-4-5",
  "google/gemini-3-flash-preview",
  "mistral/mistral-large-latest",
  "deepseek/deepseek-chat",
  "xai/grok-4",
  "cerebras/gpt-oss-120b",
  "openrouter/openai/gpt-5.5",
  "ollama/qwen3",
];

const configuration = {
  system_prompt: "You are helpful.",
  agents: { terse: { system_prompt: "You are terse.", max_tokens: 100, label: "Terse" } },
};

/** What the chat itself says: a new setting is nothing that its header changed. */
function differing(settings: object, others: object): object {
  const unsaid = new Map<string, unknown>(Object.entries(others));
  const said = Object.entries(settings).filter(([name, value]) => {
    return JSON.stringify(value) !== JSON.stringify(unsaid.get(name));
  });
  return Object.fromEntries(said);
}

/** `path` is where the chat lies; only its files folder is read. */
export async function observe(text: string, path: string): Promise<unknown> {
  const transcript = parseTranscript(text);
  const values = sources({ configuration }).configuration;
  const header = chatSettings(transcript.header, values);
  const { settings: others } = chatSettings(parseTranscript("").header, values);
  return {
    settings: differing(header.settings, others),
    problems: [...header.problems, ...transcript.problems].map(problem),
    exchanges: transcript.exchanges.map((exchange) => ({
      question: exchange.question,
      steps: exchange.answer?.steps.map(({ range, blocks }) => ({
        ...range,
        blocks: blocks.map(({ kind }) => kind).join(" "),
      })),
      next: step(transcript, exchange, emptySession),
      nextInTurn: step(transcript, exchange, inTurn(transcript, exchange)),
      edits: editsOf(transcript, exchange),
    })),
    edits: chatEdits(transcript),
    requests: await requests(transcript, path),
  };
}

function problem({ line, column, level, code }: Problem): string {
  return `${line + 1}:${column + 1} ${level} ${code}`;
}

/** What comes next, with its calls by their lines. */
function step(transcript: Transcript, exchange: Exchange, session: Session): string {
  const next = nextStep(transcript, exchange, session);
  const words: string[] = [next.type];
  if ("when" in next) words.push(next.when);
  if ("retry" in next && next.retry !== null) words.push("retry");
  if ("calls" in next) words.push(...next.calls.map(({ line }) => `${line + 1}`));
  if ("open" in next)
    words.push(...next.open.map(({ call, reason }) => `${call.line + 1} ${reason}`));
  return words.join(" ");
}

/** The session in which a turn runs here, and every call with a decision was approved by a key. */
function inTurn(transcript: Transcript, exchange: Exchange): Session {
  const { start } = exchange.range;
  const anchor = { line: start, text: transcript.lines[start] ?? "" };
  const steps = exchange.answer?.steps ?? [];
  const calls = steps
    .flatMap((found) => found.calls)
    .filter(({ decision }) => decision !== null)
    .map(({ line, lineText }) => ({
      line,
      text: lineText,
      state: "approved" as const,
      tool: "",
      effect: "",
      isAlone: false,
    }));
  const turn = { exchange: anchor, modelCalls: 1, callCounts: {}, invalidAnswers: 0 };
  return { calls, unstarted: [], unsaved: [], turn, respondedTo: anchor };
}

interface Request {
  readonly api?: string;
  readonly sha256?: string;
  readonly notices?: number;
  readonly body?: unknown;
  readonly unlike?: unknown;
  readonly refused?: true;
}

/** The bytes that each vendor would be sent: their hash, and the body or how it is unlike the first of its API. */
async function requests(transcript: Transcript, path: string) {
  const shown = new Map<string, Readonly<Record<string, unknown>>>();
  const found: Record<string, Request> = { "as written": await request(transcript, path, null) };
  for (const model of models) {
    const sent = await request(transcript, path, model);
    const { body, api, ...rest } = sent;
    if (body === undefined || api === undefined) {
      found[model] = sent;
      continue;
    }
    const own = Object.fromEntries(Object.entries(body as object));
    const first = shown.get(api);
    if (first === undefined) shown.set(api, own);
    found[model] = first === undefined ? sent : { api, ...rest, unlike: difference(first, own) };
  }
  return found;
}

async function request(
  transcript: Transcript,
  path: string,
  model: string | null,
): Promise<Request> {
  const shown = await previewRequest(
    sources({ configuration }),
    chatOptions({ path: () => path, model }),
    transcript,
    { session: emptySession },
  );
  if ("message" in shown) return { refused: true };
  const sent = JSON.stringify(shown.body).replaceAll(cacheKey(path), "KEY OF THE PATH");
  return {
    api: shown.api,
    sha256: createHash("sha256").update(sent).digest("hex"),
    notices: shown.notices.length,
    body: JSON.parse(sent),
  };
}

/** It names the folder of this checkout, in its way. */
function cacheKey(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 32);
}

/** The fields of `own` that `first` has not, or has otherwise; null for those that only `first` has. */
function difference(
  first: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const keys = new Set([...Object.keys(first), ...Object.keys(own)]);
  return Object.fromEntries(
    [...keys].flatMap((key) =>
      JSON.stringify(first[key]) === JSON.stringify(own[key]) ? [] : [[key, own[key] ?? null]],
    ),
  );
}
