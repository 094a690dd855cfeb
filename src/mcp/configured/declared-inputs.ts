/** What a file of servers may ask the person for (`inputs`, as VS Code has them). */
import { isObject, stringOf } from "../../shared/json.ts";
import type { JsonPath } from "./commented-json.ts";

/** What `${input:id}` asks for. */
export interface DeclaredInput {
  readonly id: string;
  readonly prompt: string;
  /** Null: the person types; else one of these is picked. */
  readonly options: readonly string[] | null;
  /** What Enter alone gives; null: nothing. */
  readonly preset: string | null;
  /** What is typed does not show. */
  readonly isSecret: boolean;
}

/** One that cannot be used is told and left out; its server then says that the input is missing. */
export function readInputs(
  value: unknown,
  complain: (key: JsonPath, reason: string, kept: string) => void,
): readonly DeclaredInput[] {
  if (value === undefined) return [];
  const kept = "It was passed over.";
  if (!Array.isArray(value)) {
    complain(["inputs"], "write a list of inputs", kept);
    return [];
  }
  return value.flatMap((input: unknown, index): DeclaredInput[] => {
    if (!isObject(input) || typeof input.id !== "string") {
      complain(["inputs", index], "write a table with an id", kept);
      return [];
    }
    const { id, type = "promptString" } = input;
    const prompt = stringOf(input.description) ?? id;
    const preset = stringOf(input.default);
    if (type === "promptString") {
      // Typed openly only where the file says that it is no secret and the person would want to see it.
      return [{ id, prompt, options: null, preset, isSecret: input.password !== false }];
    }
    const options = type === "pickString" ? readOptions(input.options) : null;
    if (options !== null) return [{ id, prompt, options, preset, isSecret: false }];
    const known =
      type === "pickString"
        ? "pickString needs a list of options"
        : "only promptString and pickString are known";
    complain(["inputs", index], known, kept);
    return [];
  });
}

function readOptions(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const options = value.map((option: unknown) =>
    isObject(option) ? stringOf(option.value) : stringOf(option),
  );
  return options.every((option) => option !== null) ? options : null;
}
