/** What a server asks for in a form, as far as the SDK takes it: it refuses the question, and nobody would hear of it. */
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject } from "../../shared/json.ts";

/**
 * `params` of `elicitation/create` without null. Servers on the Python SDK before its version 2 write a value that may be
 * left out as one that may be null (`str | None`), or that is null to begin with (`name: str = None`); which may be left
 * out is said by `required` all the same.
 */
export function properForm(params: JsonObject): JsonObject {
  const { requestedSchema: schema } = params;
  if (!isObject(schema) || !isObject(schema.properties)) return params;
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [
      name,
      isObject(property) ? withoutNull(property) : property,
    ]),
  );
  return { ...params, requestedSchema: { ...schema, properties } };
}

function withoutNull({ default: preset, ...property }: JsonObject): JsonObject {
  return { ...notNull(property), ...given({ default: preset }) };
}

/** Of `anyOf`, or of types, with null and one other, that other. */
function notNull(property: JsonObject): JsonObject {
  const { anyOf, ...rest } = property;
  const { type } = property;
  if (Array.isArray(type)) {
    const [kind, ...others] = type.filter((each) => each !== "null");
    return typeof kind === "string" && others.length === 0 ? { ...property, type: kind } : property;
  }
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return property;
  const [kind, ...others] = anyOf.filter((each) => !isNull(each));
  return isObject(kind) && others.length === 0 ? { ...kind, ...rest } : property;
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema.type === "null";
}
