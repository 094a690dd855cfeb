/** Ids of calls as a vendor takes them (rules O5, A5, M1). Pure. */
import { createHash } from "node:crypto";
import type { CallIdRule } from "./compat.ts";

/**
 * The id of a call on the wire, unlike those `taken`, to which it is added. Depends only on what stands above, so
 * that a longer history keeps the ids of a shorter one.
 */
export function uniqueCallId(id: string, taken: Set<string>, rule: CallIdRule): string {
  const base = wireId(id, rule);
  let unique = base;
  for (let number = 2; taken.has(unique); number += 1) {
    unique = rule.isExact ? digest(`${id} ${number}`, rule.length) : numbered(base, number, rule);
  }
  taken.add(unique);
  return unique;
}

function wireId(id: string, { length, isExact }: CallIdRule): string {
  if (isExact) {
    const fits = id.length === length && /^[a-zA-Z0-9]*$/.test(id);
    return fits ? id : digest(id, length);
  }
  return id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, length) || "call";
}

function numbered(base: string, number: number, { length }: CallIdRule): string {
  const suffix = `_${number}`;
  return base.slice(0, length - suffix.length) + suffix;
}

/** Letters and digits, the same for the same id. */
function digest(text: string, length: number): string {
  const hash = createHash("sha256").update(text, "utf8").digest("base64");
  return hash.replace(/[^a-zA-Z0-9]/g, "").slice(0, length);
}
