/** A tool's arguments as form fields, made from the tool's own schema. */
import {
  inexactNumber,
  isObject,
  type JsonObject,
  parseJson,
  stringOf,
  textOf,
} from "../../shared/json.ts";
import { collapseWhitespace, ellipsize, visible } from "../../shared/visible.ts";
import { type Field, readFields } from "./form-fields.ts";
import { type PageField, pageField } from "./form-page.ts";

/** No user would fill in more. */
const mostFields = 100;
const longestHint = 120;

/** Arguments that are not plain values are entered as JSON. A schema without properties has no fields. */
export function argumentFields(schema: JsonObject): readonly PageField[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .slice(0, mostFields)
    .map(([name, property]) => {
      const isRequired = required.includes(name);
      const plain = plainField(name, property, isRequired);
      return plain === null ? jsonField(name, property, isRequired) : pageField(plain);
    });
}

/** Null if a plain form field cannot hold it. */
function plainField(name: string, property: unknown, isRequired: boolean): Field | null {
  const schema = { properties: { [name]: property }, required: isRequired ? [name] : [] };
  try {
    return readFields(schema)[0] ?? null;
  } catch {
    return null;
  }
}

function jsonField(name: string, property: unknown, isRequired: boolean): PageField {
  const schema = isObject(property) ? property : {};
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  const said = ellipsize(collapseWhitespace(textOf(schema.description)), longestHint);
  const kind = types.length === 0 ? "JSON" : `JSON: ${types.join(" or ")}`;
  const takesText = types.length === 0 || types.includes("string");
  return {
    name,
    label: visible(stringOf(schema.title)?.trim() || name),
    hint: [visible(said), kind].filter((text) => text !== "").join("; "),
    isRequired,
    initial: schema.default === undefined ? "" : JSON.stringify(schema.default),
    choices: [],
    takesSeveral: false,
    read(text) {
      const value = parseJson(text);
      const number = value === undefined ? null : inexactNumber(text);
      if (number !== null)
        return {
          reason: `The number ${ellipsize(number, 60)} is too large; in quotes it is a text.`,
        };
      if (value !== undefined) return { value };
      return takesText && !/^\s*[[{"]/.test(text)
        ? { value: text }
        : { reason: 'This is not JSON: write a list as [1, 2], a table as {"a": 1}.' };
    },
  };
}
