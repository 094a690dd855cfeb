/** Fixes a form request that the SDK would reject, since the user would never learn of the question. */
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject } from "../../shared/json.ts";

/**
 * Removes null from `params` of `elicitation/create`. Servers on the Python SDK before version 2 declare an optional
 * value as one that may be null (`str | None`) or that defaults to null (`name: str = None`); `required` still says
 * which values are optional.
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

/** If `anyOf` or `type` lists null and exactly one other type, returns the property with only that type. */
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
