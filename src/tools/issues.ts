/** What a schema library found wrong with arguments, as sentences a model can correct itself by. */
import { fewReasons, fieldName, short } from "./argument-text.ts";
import type { StandardIssue } from "./standard-schema.ts";

/** `value` is what was checked: a sentence also shows what stood in the field. */
export function describeIssues(issues: readonly StandardIssue[], value: unknown): string {
  return fewReasons(issues.map((issue) => describe(issue, value)));
}

function describe(issue: StandardIssue, value: unknown): string {
  const path = (issue.path ?? []).map(pathKey);
  const field = fieldName(path);
  const found = valueAt(value, path);
  const unknown = unknownKeys(issue);
  if (unknown.length > 0) {
    return unknown.map((key) => `${fieldName([...path, key])} is not known.`).join(" ");
  }
  if (found === undefined && isAboutType(issue)) return `${field} is required and missing.`;
  const reason = [issue.message, ...alternatives(issue)].join("; ").replace(/[.\s]+$/, "");
  if (path.length === 0) return `${reason}.`;
  const shown = found === undefined ? "" : `, but it is ${short(found)}`;
  return `${field}: ${reason}${shown}.`;
}

/** A rule of one's own may speak of a field that is not there; its words say more than that it is missing. */
function isAboutType(issue: StandardIssue): boolean {
  return (
    !("code" in issue) ||
    ["invalid_type", "invalid_value", "invalid_union"].includes(String(issue.code))
  );
}

function pathKey(part: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof part === "object" ? part.key : part;
  return typeof key === "number" ? key : String(key);
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Object.getOwnPropertyDescriptor(found, key)?.value;
  }
  return found;
}

/** zod lists the keys that a strict object does not know in the issue of the object. */
function unknownKeys(issue: StandardIssue): readonly string[] {
  if (!("keys" in issue) || !Array.isArray(issue.keys)) return [];
  return issue.keys.filter((key) => typeof key === "string");
}

/** Of a union zod's own message says only that nothing fits; what each alternative wants says more. */
function alternatives(issue: StandardIssue): readonly string[] {
  if (!("errors" in issue) || !Array.isArray(issue.errors)) return [];
  const messages = issue.errors.flatMap((branch: unknown) => {
    const first: unknown = Array.isArray(branch) ? branch[0] : undefined;
    const hasMessage = typeof first === "object" && first !== null && "message" in first;
    return hasMessage ? [String(first.message)] : [];
  });
  return messages.length > 0 ? [`none of the alternatives fits (${messages.join(" / ")})`] : [];
}
