/** The fields of a form that a server requests (MCP, elicitation in form mode), and the checks of their values. */
import { counted } from "../../shared/counted.ts";
import { inexactNumber, isObject, type JsonObject, ownValue, stringOf } from "../../shared/json.ts";
import { clip, collapseWhitespace, ellipsize, visible } from "../../shared/visible.ts";
import { compileSchema } from "../../tools/schema-compiler.ts";

export type FieldValue = string | number | boolean | readonly string[];

export interface FieldOption {
  readonly value: string;
  /** Without invisible characters. */
  readonly label: string;
}

export interface Field {
  readonly name: string;
  /** Without invisible characters. */
  readonly label: string;
  /** The server's description and the field's limits, without invisible characters; empty if there are none. */
  readonly hint: string;
  readonly isRequired: boolean;
  readonly kind: "text" | "number" | "yes-or-no" | "one" | "several";
  /** For `one` and `several`. */
  readonly options: readonly FieldOption[];
  /** The server's default, if it is valid. */
  readonly initial: FieldValue | null;
  /** Returns a sentence why the value is not valid; null if it is. */
  misfit(value: FieldValue): string | null;
}

/** In characters, for a label or hint. */
const longestLabel = 100;

/** In characters, for a default value. */
const longestInitial = 10_000;

/** No user would fill in more. */
const mostFields = 100;
const mostOptions = 1000;

/** A server's text on one line, shortened and without invisible characters. */
function words(text: string): string {
  return visible(ellipsize(collapseWhitespace(text), longestLabel));
}

/** Throws an error for the user if a field's type is not supported. */
export function readFields(schema: unknown): readonly Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) {
    throw new Error("The form has no properties.");
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries(schema.properties);
  if (properties.length > mostFields) throw new Error(`The form has over ${mostFields} fields.`);
  const fields = properties.map(([name, property]) => readProperty(name, property));
  const misfits = checkers(fields.map(({ property, kind }) => rulesOf(property, kind)));
  return fields.map((each, index) => {
    const { [index]: misfit = () => null } = misfits;
    return readField(each, required.includes(each.name), misfit);
  });
}

/** One field of the server's schema. */
interface Property {
  readonly name: string;
  readonly property: JsonObject;
  readonly kind: Field["kind"];
}

/** Parses typed text as the field's value; returns a sentence if it is not valid. */
export function parseTyped(field: Field, text: string): { value: FieldValue } | { reason: string } {
  if (field.kind !== "number") return checked(field, text);
  const typed = text.trim();
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(typed)) return { reason: "Write a number." };
  return inexactNumber(typed) === null
    ? checked(field, Number(typed))
    : { reason: "The number is too large." };
}

/** Returns the value, or why it is not valid. */
export function checked(
  field: Field,
  value: FieldValue,
): { value: FieldValue } | { reason: string } {
  const reason = field.misfit(value);
  return reason === null ? { value } : { reason };
}

/** A value as the user sees it. */
export function shownValue(field: Field, value: FieldValue | undefined): string {
  if (value === undefined) return "(left out)";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const label = (one: string) => {
    const option = field.options.find((each) => each.value === one);
    return option?.label ?? visible(one);
  };
  if (typeof value === "string") return label(value);
  return typeof value === "number" ? String(value) : value.map(label).join(", ") || "(none)";
}

/** Throws an error for the user if the field is not supported. */
function readProperty(name: string, property: unknown): Property {
  const kind = isObject(property) ? kindOf(property) : null;
  if (isObject(property) && optionsOf(property).length > mostOptions) {
    const shown = JSON.stringify(clip(name, longestLabel).text);
    throw new Error(`The form's field ${shown} has over ${mostOptions} choices.`);
  }
  if (!isObject(property) || kind === null) {
    throw new Error(
      `The form's field ${JSON.stringify(name)} has a type that Parley cannot ask for.`,
    );
  }
  return { name, property, kind };
}

function readField(
  { name, property, kind }: Property,
  isRequired: boolean,
  misfit: Field["misfit"],
): Field {
  const initial = readInitial(property.default, kind);
  return {
    name,
    label: words(stringOf(property.title)?.trim() || name),
    hint: hintOf(property, kind),
    isRequired,
    kind,
    options: optionsOf(property),
    initial: initial !== null && misfit(initial) === null ? initial : null,
    misfit,
  };
}

export function kindOf(property: JsonObject): Field["kind"] | null {
  switch (property.type) {
    case "string":
      return optionsOf(property).length > 0 ? "one" : "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "yes-or-no";
    case "array":
      return optionsOf(property).length > 0 ? "several" : null;
    default:
      return null;
  }
}

/** Reads all ways in which the protocol writes a list of choices, including the older ones. */
function optionsOf(property: JsonObject): readonly FieldOption[] {
  const from = isObject(property.items) ? property.items : property;
  const titled = from.oneOf ?? from.anyOf;
  if (Array.isArray(titled)) {
    return titled.flatMap((option) => {
      const value = isObject(option) ? stringOf(option.const) : null;
      if (!isObject(option) || value === null) return [];
      return [{ value, label: words(stringOf(option.title) ?? value) }];
    });
  }
  if (!Array.isArray(from.enum)) return [];
  const names = Array.isArray(from.enumNames) ? from.enumNames : [];
  return from.enum.flatMap((option, index) => {
    const value = stringOf(option);
    return value === null ? [] : [{ value, label: words(stringOf(names[index]) ?? value) }];
  });
}

const isCount = (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

/** Copies only the protocol's own keywords: a server's schema must not make the host run arbitrary checks. */
function rulesOf(property: JsonObject, kind: Field["kind"]): JsonObject {
  const { type } = property;
  const take = (isLimit: (value: unknown) => boolean, ...keys: readonly string[]) =>
    Object.fromEntries(
      keys.flatMap((key) => (isLimit(property[key]) ? [[key, property[key]]] : [])),
    );
  const values = optionsOf(property).map(({ value }) => value);
  switch (kind) {
    case "text":
      return { type, ...take(isCount, "minLength", "maxLength"), ...formatRule(property) };
    case "number":
      return { type, ...take(Number.isFinite, "minimum", "maximum") };
    case "yes-or-no":
      return { type: "boolean" };
    case "one":
      return { type: "string", enum: values };
    case "several":
      return { type, ...take(isCount, "minItems", "maxItems"), items: { enum: values } };
  }
}

/** An example value for each format. */
const formats: Readonly<Record<string, string>> = {
  email: "name@example.org",
  uri: "https://example.org",
  date: "2026-01-31",
  "date-time": "2026-01-31T18:30:00Z",
};

export function isFormat(format: unknown): format is string {
  return typeof format === "string" && Object.hasOwn(formats, format);
}

function formatRule({ format }: JsonObject): JsonObject {
  return isFormat(format) ? { format } : {};
}

/** Compiles all fields as one schema: each compilation blocks the host, and a form may have a hundred fields. */
function checkers(rules: readonly JsonObject[]): readonly Field["misfit"][] {
  const properties = Object.fromEntries(rules.map((each, index) => [String(index), each]));
  const validate = compileSchema({ properties });
  return rules.map((_, index) => (value) => {
    if (validate({ [index]: value })) return null;
    return (validate.errors ?? []).map(misfitText).join(" ");
  });
}

type Misfit = NonNullable<ReturnType<typeof compileSchema>["errors"]>[number];

function misfitText({ keyword, params, message }: Misfit): string {
  switch (keyword) {
    case "minLength":
      return `Write at least ${counted(Number(params.limit), "character")}.`;
    case "maxLength":
      return `Write at most ${counted(Number(params.limit), "character")}.`;
    case "minimum":
      return `It must be ${params.limit} or more.`;
    case "maximum":
      return `It must be ${params.limit} or less.`;
    case "minItems":
      return `Choose at least ${params.limit}.`;
    case "maxItems":
      return `Choose at most ${params.limit}.`;
    case "format":
      return `Write it like ${ownValue(formats, params.format) ?? params.format}.`;
    case "type":
      return params.type === "integer" ? "Write a whole number." : `It must be a ${params.type}.`;
    default:
      return `It ${message ?? `breaks the rule ${keyword}`}.`;
  }
}

function readInitial(value: unknown, kind: Field["kind"]): FieldValue | null {
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  if (kind === "several") return isList ? value : null;
  if (kind === "yes-or-no") return typeof value === "boolean" ? value : null;
  if (kind === "number") return typeof value === "number" ? value : null;
  const text = stringOf(value);
  return text !== null && text.length <= longestInitial ? text : null;
}

function hintOf(property: JsonObject, kind: Field["kind"]): string {
  const said = words(stringOf(property.description) ?? "");
  const { format, minimum, maximum, minLength, maxLength, minItems, maxItems } = property;
  const rules = [
    property.type === "integer" ? "whole number" : null,
    kind === "number" ? bounds(minimum, maximum, "") : null,
    kind === "text" ? bounds(minLength, maxLength, " characters") : null,
    kind === "several" ? bounds(minItems, maxItems, " of them") : null,
    isFormat(format) ? `like ${formats[format]}` : null,
  ];
  return [said, rules.filter((rule) => rule !== null).join(", ")].filter(Boolean).join("; ");
}

function bounds(least: unknown, most: unknown, unit: string): string | null {
  if (typeof least === "number" && typeof most === "number") return `${least} to ${most}${unit}`;
  if (typeof least === "number") return `${least}${unit} or more`;
  return typeof most === "number" ? `${most}${unit} or less` : null;
}
