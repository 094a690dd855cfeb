/**
 * Finds the call that a piece of a chat completions stream belongs to. Compatible servers omit the index, send every
 * call of a batch at index 0, change the id in each chunk of one call, or repeat its name, so neither the index nor
 * the id is enough. Some repeat all of the arguments so far in each piece. Pure except for its own state.
 */
import type { StreamPart } from "../../conversation/ports.ts";
import { type JsonObject, objectOf, textOf } from "../../shared/json.ts";
import { growCall, numberOr, type PartQueue, type PendingCall } from "../stream/decoder.ts";

/** One piece of a call. */
interface CallDelta {
  readonly index: number | null;
  /** Empty if missing, as are the other texts. */
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly json: string;
}

interface OpenCall {
  readonly call: PendingCall;
  /** Tracks whether the arguments are a complete object. */
  readonly end: ObjectEnd;
  readonly place: number;
  /** The last piece of the arguments while each piece repeats the one before; null once one does not. */
  soFar: string | null;
}

export interface CallReader {
  /** Returns the call's index among the response's calls, and the stream parts for this piece. */
  push(piece: JsonObject): { readonly place: number; readonly parts: readonly StreamPart[] };
}

export function createCallReader(queue: PartQueue): CallReader {
  let newest: OpenCall | undefined;
  /** The newest call at each index and with each id, for fast lookup: a stream may have thousands of calls. */
  const atIndex = new Map<number, OpenCall>();
  const ofId = new Map<string, OpenCall>();
  const add = ({ index, id }: CallDelta): OpenCall => {
    const place = queue.calls.length;
    const added = { call: queue.addCall(id, ""), end: new ObjectEnd(), place, soFar: "" };
    newest = added;
    if (index !== null) atIndex.set(index, added);
    if (id !== "") ofId.set(id, added);
    return added;
  };
  const find = (delta: CallDelta): OpenCall => {
    const { index, id } = delta;
    const placed = index === null ? undefined : atIndex.get(index);
    const byId = id !== "" ? ofId.get(id) : undefined;
    if (byId !== undefined) {
      if (placed?.call.id === id) return placed ?? byId;
      return sharesId(byId, delta, placed === undefined) ? add(delta) : byId;
    }
    const isNewest = index === null || (isRest(delta) && newest?.end.isReached === false);
    const known = placed ?? (isNewest ? newest : undefined);
    if (known === undefined) return add(delta);
    // Without an index, an unknown id begins a new call.
    if (index === null && id !== "") return add(delta);
    return beginsAnother(known, delta) ? add(delta) : known;
  };
  return {
    push(piece) {
      const delta = deltaOf(piece);
      const { json } = delta;
      const found = find(delta);
      const { call, end, place } = found;
      if (call.id === "" && delta.id !== "") ofId.set(delta.id, found);
      call.id ||= delta.id;
      call.name ||= delta.name;
      // Some servers close a call by sending its whole arguments again.
      if (end.isReached && json === call.arguments) return { place, parts: [] };
      end.push(json);
      if (json !== "") found.soFar = saysMore(found, json) ? json : null;
      call.whole = found.soFar;
      return { place, parts: [growCall(call, json)] };
    },
  };
}

/** Only arguments, at an index that no call has: sglang for MiniMax (sgl-project/sglang#23071). */
function isRest({ id, name }: CallDelta): boolean {
  return id === "" && name === "";
}

/** Whether the piece repeats the arguments so far: Baidu's Qianfan (NousResearch/hermes-agent#35718). */
function saysMore({ soFar }: OpenCall, json: string): boolean {
  return soFar !== null && json.startsWith(soFar);
}

/** Whether a piece with a known call's id is another call, for servers that use one id for several calls. */
function sharesId({ call, end }: OpenCall, delta: CallDelta, isAtNewIndex: boolean): boolean {
  if (delta.name === "" || !end.isReached) return false;
  const json = delta.json.trim();
  return json === "" ? isAtNewIndex : json !== call.arguments.trim();
}

/**
 * Whether a piece at a known call's place, without an id or with another one, begins a new call: it must have a name,
 * and either the name differs or the known call is complete.
 */
function beginsAnother(known: OpenCall, delta: CallDelta): boolean {
  const { call, end } = known;
  const { id, name } = delta;
  if (name === "") return false;
  if (call.name !== "" && name !== call.name) return true;
  const json = delta.json.trim();
  if (known.soFar !== "" && json !== known.soFar && saysMore(known, json)) return false;
  // Calls without arguments, one after another.
  if (id !== "" && json === "" && call.arguments.trim() === "") return true;
  if (!end.isReached) return false;
  if (id !== "") return true;
  // Only the name may be repeated after the end.
  return json !== "" && json !== call.arguments.trim();
}

/** Some servers send a number as the id, and the arguments as an object rather than as JSON text. */
function deltaOf({ index, id, function: called }: JsonObject): CallDelta {
  const { name, arguments: given } = objectOf(called);
  return {
    index: numberOr(index, null),
    id: typeof id === "number" ? String(id) : textOf(id),
    name: textOf(name),
    json: typeof given === "object" && given !== null ? JSON.stringify(given) : textOf(given),
  };
}

/** Finds the end of a JSON object that arrives in pieces, in time that does not depend on earlier pieces. */
class ObjectEnd {
  isReached = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  push(text: string): void {
    for (const character of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#inString) {
        if (character === "\\") this.#isEscaped = true;
        else if (character === '"') this.#inString = false;
      } else if (character === '"') this.#inString = true;
      else if (character === "{" || character === "[") this.#depth += 1;
      else if (character === "}" || character === "]") {
        this.#depth -= 1;
        if (this.#depth === 0) this.isReached = true;
      }
    }
  }
}
