/** Fixes a form request that the SDK would reject, since the user would never learn of the question. */
import { given } from "../../shared/given.ts";
import { isObject, type JsonObject, objectOf, ownValue, stringOf } from "../../shared/json.ts";
import { isFormat, kindOf } from "./form-fields.ts";

/**
 * Leaves in `params` of `elicitation/create` what the protocol defines, and removes the rest, value by value. Servers
 * make forms from types of their language: in Python an optional value may be null (`str | None`) or defaults to null,
 * an enum is a reference, and a UUID or a password is a format that the protocol does not have.
 */
export function properForm(params: JsonObject): JsonObject {
  const { requestedSchema: schema, mode, message, _meta: meta, ...rest } = params;
  const kept = {
    message: stringOf(message) ?? "",
    ...given({ mode: mode ?? null, _meta: isObject(meta) ? meta : null }),
  };
  if (!isObject(schema)) return { ...rest, ...kept, ...given({ requestedSchema: schema ?? null }) };
  const { required, properties = {} } = schema;
  if (!isObject(properties)) return params;
  const names = Array.isArray(required) ? required.filter((name) => stringOf(name) !== null) : null;
  const requestedSchema = {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        properProperty(objectOf(property), schema),
      ]),
    ),
    ...given({ required: names }),
  };
  return { ...rest, ...kept, requestedSchema };
}

/** The SDK accepts it, and `readFields` refuses it in a sentence, which the user and the server read. */
const unaskable: JsonObject = { type: "array", items: { type: "string", enum: [] } };

function properProperty(written: JsonObject, schema: JsonObject): JsonObject {
  const property = referredTo(notNull(written), schema);
  const { enum: values } = property;
  const isChoice = Array.isArray(values) && values.every((value) => stringOf(value) !== null);
  const { type = isChoice ? "string" : undefined } = property;
  const proper = Object.entries(property).filter(([key, value]) => isProper(key, value, type));
  const askable = { ...Object.fromEntries(proper), ...given({ type: type ?? null }) };
  return kindOf(askable) === null ? unaskable : askable;
}

function isProper(key: string, value: unknown, type: unknown): boolean {
  switch (key) {
    case "title":
    case "description":
      return typeof value === "string";
    case "minLength":
    case "maxLength":
    case "minimum":
    case "maximum":
    case "minItems":
    case "maxItems":
      return typeof value === "number";
    case "format":
      return isFormat(value);
    case "default":
      return isDefault(value, type);
    default:
      return true;
  }
}

function isDefault(value: unknown, type: unknown): boolean {
  if (type === "array") return Array.isArray(value) && value.every((one) => stringOf(one) !== null);
  return typeof value === (type === "integer" ? "number" : type);
}

/** Follows a reference to the schema's own definitions, as generated for the enums of a program. */
function referredTo(property: JsonObject, schema: JsonObject): JsonObject {
  const { $ref, allOf, ...own } = property;
  const [only = null, ...others] = Array.isArray(allOf) ? allOf : [];
  const pointer = stringOf($ref ?? (others.length === 0 ? objectOf(only).$ref : null)) ?? "";
  const [, table = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(pointer) ?? [];
  const target = ownValue(objectOf(schema[table]), name);
  return isObject(target) ? { ...target, ...own } : property;
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
