/** Calls written as a Python list, `[f(a=1), g(b="x")]`. */

import type { KnownTools, Reading } from "../arguments/known-tools.ts";
import { pythonCall, pythonCalls } from "../syntax/python.ts";
import type { BlockReader } from "./block.ts";

const longestName = 128;
const [backslash, lineFeed] = [0x5c, 0x0a];

/** Reads a list whose bracket is right before `offset`, or before white space there. */
export function pythonBlock(
  context: KnownTools,
  offset: number,
  wrapper: string | null,
): BlockReader {
  let count = offset;
  let end = 0;
  let name = "";
  let isNamed = false;
  let quote = 0;
  let isEscaped = false;
  let depth = 1;
  let isText = false;

  function giveUp(): true {
    isText = true;
    end = count - 1;
    return true;
  }

  function feedName(unit: number): boolean {
    const character = String.fromCharCode(unit);
    if (character === "(" && context.knows(name.trim())) {
      isNamed = true;
      depth = 2;
      return false;
    }
    name += character;
    return (!/[\w.\s]/.test(character) || name.length > longestName) && giveUp();
  }

  function feedString(unit: number): boolean {
    if (isEscaped) isEscaped = false;
    else if (unit === backslash) isEscaped = true;
    else if (unit === quote) quote = 0;
    // These Python strings do not contain line breaks.
    return unit === lineFeed && giveUp();
  }

  return {
    policy: "plain",
    trailers: wrapper === null ? [] : [wrapper],
    wrapper,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      if (!isNamed) return feedName(unit);
      if (quote !== 0) return feedString(unit);
      const character = String.fromCharCode(unit);
      if (character === '"' || character === "'") quote = unit;
      else if ("([{".includes(character)) depth += 1;
      else if (")]}".includes(character)) depth -= 1;
      end = count;
      return depth === 0;
    },
    conclude(raw) {
      if (isText) return null;
      const reading = pythonCalls(raw, raw.indexOf("["));
      return reading === null || reading.end !== raw.length ? null : reading;
    },
    fallback: () => 0,
  };
}

const statement = /^(?:print\s*\()?/;

/** Reads the lines of a `tool_code` fence: one call each, optionally inside `print(…)`. */
export function readToolCode(body: string): Reading | null {
  const calls: { name: string; arguments: string; start: number }[] = [];
  let start = 0;
  for (const line of body.split("\n")) {
    const text = line.trim();
    const head = statement.exec(text)?.[0].length ?? 0;
    const call = pythonCall(text, head);
    const rest = text.slice(call?.end ?? 0).trim();
    if (text !== "" && (call === null || rest !== (head > 0 ? ")" : ""))) return null;
    if (call !== null) calls.push({ name: call.name, arguments: call.arguments, start });
    start += line.length + 1;
  }
  return calls.length > 0 ? { calls } : null;
}
