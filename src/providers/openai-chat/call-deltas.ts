/**
 * Which call a piece of a chat completions stream belongs to. Compatible servers leave the index out, send every
 * call of a batch at index 0, give another id in each chunk of one call, or repeat its name, so neither the index
 * nor the id decides alone. Some say all of the arguments so far in each piece. Pure but for its own state.
 */
import type { StreamPart } from "../../conversation/ports.ts";
import { type JsonObject, objectOf, textOf } from "../../shared/json.ts";
import { growCall, type PartQueue, type PendingCall, placeOf } from "../stream/decoder.ts";

/** A piece of a call. */
interface CallDelta {
  readonly index: number | null;
  /** Empty where the piece has none, as are the others. */
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly json: string;
}

interface OpenCall {
  readonly call: PendingCall;
  /** Whether the arguments are a whole object by now. */
  readonly end: ObjectEnd;
  readonly place: number;
  /** The last piece of the arguments, as long as each began with the one before; null: one did not. */
  soFar: string | null;
}

export interface CallReader {
  /** The place of the call among those of the response, and the parts that the piece gives. */
  push(piece: JsonObject): { readonly place: number; readonly parts: readonly StreamPart[] };
}

export function createCallReader(queue: PartQueue): CallReader {
  let newest: OpenCall | undefined;
  /** The newest call at each index, and of each id: a stream may have thousands of calls. */
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
    // Without an index, an id that is not known begins a call.
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
      // A server that closes a call by sending all of it once more.
      if (end.isReached && json === call.arguments) return { place, parts: [] };
      end.push(json);
      if (json !== "") found.soFar = saysMore(found, json) ? json : null;
      call.whole = found.soFar;
      return { place, parts: [growCall(call, json)] };
    },
  };
}

/** Arguments alone at an index that no call has: sglang's for MiniMax (sgl-project/sglang#23071). */
function isRest({ id, name }: CallDelta): boolean {
  return id === "" && name === "";
}

/** Whether the piece says once more what the last one said: Baidu's Qianfan (NousResearch/hermes-agent#35718). */
function saysMore({ soFar }: OpenCall, json: string): boolean {
  return soFar !== null && json.startsWith(soFar);
}

/** Whether a piece with the id of a known call is of another one, for which the server has no id of its own. */
function sharesId({ call, end }: OpenCall, delta: CallDelta, isAtNewIndex: boolean): boolean {
  if (delta.name === "" || !end.isReached) return false;
  const json = delta.json.trim();
  return json === "" ? isAtNewIndex : json !== call.arguments.trim();
}

/**
 * Whether a piece at the place of a known call, with an id that is not that call's or without one, begins another:
 * only a piece with a name can, and only when the name is another one or the known call is complete.
 */
function beginsAnother(known: OpenCall, delta: CallDelta): boolean {
  const { call, end } = known;
  const { id, name } = delta;
  if (name === "") return false;
  if (call.name !== "" && name !== call.name) return true;
  const json = delta.json.trim();
  if (known.soFar !== "" && json !== known.soFar && saysMore(known, json)) return false;
  // Calls without arguments, one after the other.
  if (id !== "" && json === "" && call.arguments.trim() === "") return true;
  if (!end.isReached) return false;
  if (id !== "") return true;
  // The name alone may be repeated after the end.
  return json !== "" && json !== call.arguments.trim();
}

/** Some servers count their ids, and send the object itself in place of its JSON. */
function deltaOf({ index, id, function: called }: JsonObject): CallDelta {
  const { name, arguments: given } = objectOf(called);
  return {
    index: placeOf(index, null),
    id: typeof id === "number" ? String(id) : textOf(id),
    name: textOf(name),
    json: typeof given === "object" && given !== null ? JSON.stringify(given) : textOf(given),
  };
}

/** Finds the end of a JSON object in pieces, in time that does not grow with what came before. */
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
