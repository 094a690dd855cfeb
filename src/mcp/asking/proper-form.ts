/** What a server asks for in a form, as far as the SDK takes it: it refuses the question, and nobody would hear of it. */
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject } from "../../shared/json.ts";

/**
 * `params` of `elicitation/create` without null. Servers on the Python SDK before its version 2 write a value that may be
 * left out as one that may be null (`str | None`); which may be left out is said by `required` all the same.
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

function withoutNull(property: JsonObject): JsonObject {
  const { anyOf, default: preset, ...rest } = property;
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return property;
  const [kind, ...others] = anyOf.filter((each) => !isNull(each));
  if (!isObject(kind) || others.length > 0) return property;
  return { ...kind, ...rest, ...given({ default: preset }) };
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema.type === "null";
}
