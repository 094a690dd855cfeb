/** Calls whose tags are named after the tool, or that consist of two elements. */

import type { KnownTools, Reading } from "../arguments/known-tools.ts";
import { readNamed } from "../arguments/repair.ts";
import { callOfValues, readElements } from "../arguments/xml-values.ts";
import { createMatcher, isSpace, type Matcher } from "../syntax/literal.ts";
import { createJsonStrings } from "../syntax/strings.ts";
import type { BlockReader } from "./block.ts";

const element = /<([A-Za-z_][\w.-]{0,127})>/y;

/** Reads child elements as arguments; white space around their values is ignored. */
function readChildren(context: KnownTools, name: string, body: string): Reading {
  const elements = readElements(body, element, ([, key]) => `</${key}>`);
  if (elements === null) return { reason: "its elements are not closed", name };
  const values = elements.map(({ key, text }) => ({ key, text: text.trim() }));
  return callOfValues(name, values, context.schemaOf(name), "guess");
}

/** Reads `<server.tool><key>value</key></server.tool>` from the first `<` on. */
export function dottedBlock(context: KnownTools): BlockReader {
  let name = "";
  let closer: Matcher | null = null;
  let nested: Matcher | null = null;
  let depth = 0;
  let count = 1;
  let end = 0;
  let isText = false;

  function feedName(unit: number): boolean {
    const character = String.fromCharCode(unit);
    if (character === ">" && /^[\w-]+\.[\w.-]+$/.test(name) && context.knows(name)) {
      closer = createMatcher(`</${name}>`);
      nested = createMatcher(`<${name}>`);
      return false;
    }
    name += character;
    isText = !/[\w.-]/.test(character) || name.length > 128;
    end = count - 1;
    return isText;
  }

  return {
    policy: "marked",
    trailers: [],
    wrapper: null,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      if (closer === null) return feedName(unit);
      if (nested?.feed(unit)) depth += 1;
      if (!closer.feed(unit)) return false;
      end = count;
      depth -= 1;
      return depth < 0;
    },
    conclude(raw) {
      if (isText) return null;
      return readChildren(context, name, raw.slice(name.length + 2, -(name.length + 3)));
    },
    fallback: () => 0,
  };
}

const [nameOpener, nameCloser] = ["<tool_name>", "</tool_name>"];
const [argumentsOpener, argumentsCloser] = ["<arguments>", "</arguments>"];

type Phase = "name" | "gap" | "arguments";

/** Reads `<tool_name>N</tool_name>`, optionally followed by `<arguments>…</arguments>`. */
export function simpleBlock(context: KnownTools): BlockReader {
  const nameEnd = createMatcher(nameCloser);
  const closer = createMatcher(argumentsCloser);
  let phase: Phase = "name";
  let count = nameOpener.length;
  let nameAt = 0;
  let bodyAt = 0;
  let end = 0;
  let seen = "";
  const strings = createJsonStrings(true);
  let isText = false;

  function feedGap(unit: number): boolean {
    if (seen === "" && isSpace(unit) && count < nameAt + 200) return false;
    seen += String.fromCharCode(unit);
    end = nameAt;
    if (!argumentsOpener.startsWith(seen)) return true;
    if (seen === argumentsOpener) {
      phase = "arguments";
      bodyAt = count;
    }
    return false;
  }

  function feedArguments(unit: number): boolean {
    const isInString = strings.feed(unit);
    end = count;
    return closer.feed(unit) && !isInString;
  }

  return {
    policy: "marked",
    trailers: [],
    wrapper: null,
    get end() {
      return end;
    },
    feed(unit) {
      count += 1;
      if (phase === "arguments") return feedArguments(unit);
      if (phase === "gap") return feedGap(unit);
      if (nameEnd.feed(unit)) {
        nameAt = count;
        phase = "gap";
        return false;
      }
      isText = count > nameOpener.length + nameCloser.length + 128;
      end = nameOpener.length;
      return isText;
    },
    conclude(raw) {
      if (isText) return null;
      const name = raw.slice(nameOpener.length, nameAt - nameCloser.length).trim();
      const isWhole = bodyAt > 0 && raw.endsWith(argumentsCloser);
      const body = isWhole ? raw.slice(bodyAt, -argumentsCloser.length).trim() : "";
      if (!body.startsWith("{")) return readChildren(context, name, body);
      return readNamed(name, body, context);
    },
    // If nothing more comes, only a name is a call without arguments.
    fallback: (finish) => (phase === "gap" && finish === "stop" ? nameAt : 0),
  };
}
