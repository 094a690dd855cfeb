/**
 * `mock/file:PATH`: a model whose answers are in a JSON file, for tests and bug reports (format:
 * doc/scripted-model.md). Which turn it plays depends only on the request, so a reopened transcript goes on where it
 * was.
 */

import { resolve } from "node:path";
import * as z from "zod";
import type { Failure, ModelRequest, StreamPart, Usage } from "../../conversation/ports.ts";
import { counted } from "../../shared/counted.ts";
import { given } from "../../shared/given.ts";
import { parseJson } from "../../shared/json.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { type MockPart, type MockResponse, mockUsage, streamMock } from "./mock-stream.ts";

const callSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** A string is sent as it is, even if it is not JSON; anything else is sent as JSON. */
  arguments: z.unknown().optional(),
});

const partSchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ thoughts: z.string() }),
  z.strictObject({ call: callSchema }),
]);

const count = z.int().nonnegative();

const turnSchema = z.strictObject({
  thoughts: z.string().optional(),
  text: z.string().optional(),
  calls: z.array(callSchema).optional(),
  parts: z.array(partSchema).optional(),
  finish: z.enum(["stop", "length", "context", "tool-calls", "content-filter", "pause"]).optional(),
  state: z.unknown().optional(),
  usage: z
    .strictObject({
      input: count,
      output: count,
      cacheRead: count.optional(),
      cacheWrite: count.optional(),
      reasoning: count.optional(),
    })
    .optional(),
  delayMs: z.number().nonnegative().optional(),
  chunk: z.int().positive().optional(),
  error: z
    .strictObject({
      kind: z.enum([
        "auth",
        "rate-limit",
        "overloaded",
        "context-overflow",
        "invalid-request",
        "not-found",
        "refused",
        "network",
        "idle",
        "bad-stream",
        "other",
      ]),
      message: z.string(),
    })
    .optional(),
});

const scriptSchema = z.strictObject({ turns: z.array(turnSchema) });

type ScriptedTurn = z.infer<typeof turnSchema>;

/** In bytes. */
const largestScript = 16 * 1024 * 1024;

/** Plays the turn whose index is the number of assistant messages in the request. */
export async function* streamScript(
  path: string,
  request: ModelRequest,
  options: PlayOptions & { readonly folder: string },
): AsyncGenerator<StreamPart> {
  const file = resolve(options.folder, path);
  const content = await readRegularText(file, largestScript).catch(
    (error: NodeJS.ErrnoException) => error,
  );
  if (typeof content !== "string") {
    const reason = content.code ?? content.message.replace(/\.$/, "").replace(/^I/, "i");
    return yield {
      type: "error",
      ...fail("not-found", `The script ${file} cannot be read (${reason})`),
    };
  }
  yield* playScript(`The script ${file}`, parseJson(content), request, options);
}

/** Plays a script that is not in a file. */
export function scriptedParts(
  script: unknown,
  request: ModelRequest,
  options: PlayOptions,
): AsyncGenerator<StreamPart> {
  return playScript("The script", script, request, options);
}

interface PlayOptions {
  readonly delayMs: number;
  readonly signal: AbortSignal;
}

async function* playScript(
  label: string,
  script: unknown,
  request: ModelRequest,
  options: PlayOptions,
): AsyncGenerator<StreamPart> {
  const turn = findTurn(label, script, request);
  if ("failure" in turn) return yield { type: "error", failure: turn.failure };
  const pace = { delayMs: turn.delayMs ?? options.delayMs, chunk: turn.chunk ?? null };
  yield* streamMock(toResponse(turn, request), pace, options.signal);
}

function findTurn(
  label: string,
  given: unknown,
  request: ModelRequest,
): ScriptedTurn | { readonly failure: Failure } {
  const script = scriptSchema.safeParse(given);
  if (!script.success) {
    const [issue] = script.error.issues;
    const place = issue?.path.join(".") || "the whole";
    return fail("invalid-request", `${label} is not one: ${place}: ${issue?.message}`);
  }
  const number = request.messages.filter(({ role }) => role === "assistant").length;
  const { turns } = script.data;
  const turn = turns[number];
  if (turn !== undefined) return turn;
  const happened = `${label} has ${counted(turns.length, "turn")}, and the chat asks for number ${number + 1}`;
  const message = `${happened}. Add one to the script, and respond again.`;
  return { failure: { kind: "other", message, happened } };
}

function fail(kind: Failure["kind"], happened: string): { readonly failure: Failure } {
  return { failure: { kind, message: `${happened}.`, happened } };
}

function toResponse(turn: ScriptedTurn, request: ModelRequest): MockResponse {
  const parts = partsOf(turn);
  const hasCalls = parts.some(({ type }) => type === "call");
  const reason = turn.finish ?? (hasCalls ? "tool-calls" : "stop");
  const { state } = turn;
  return {
    parts,
    usage: turn.usage ? toUsage(turn.usage) : mockUsage(request.messages, parts),
    end: turn.error
      ? { type: "error", failure: turn.error }
      : {
          type: "finish",
          reason,
          rawReason: reason,
          ...given({ state }),
        },
  };
}

function partsOf({ thoughts, text, calls = [], parts = [] }: ScriptedTurn): readonly MockPart[] {
  return [
    ...(thoughts === undefined ? [] : [{ type: "thoughts", text: thoughts } as const]),
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    ...parts.map((part): MockPart => {
      if ("text" in part) return { type: "text", text: part.text };
      if ("thoughts" in part) return { type: "thoughts", text: part.thoughts };
      return { type: "call", call: toCall(part.call) };
    }),
    ...calls.map((call): MockPart => ({ type: "call", call: toCall(call) })),
  ];
}

function toCall({ id, name, arguments: value }: z.infer<typeof callSchema>) {
  return { id, name, arguments: typeof value === "string" ? value : JSON.stringify(value ?? {}) };
}

function toUsage(usage: NonNullable<ScriptedTurn["usage"]>): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  return {
    input,
    output,
    ...given({ cacheRead, cacheWrite, reasoning }),
  };
}
