/**
 * What one row in the tables of options defines. The check of the configuration, the reader of the header, the merge,
 * the help, the Lua annotations and the JSON schema are derived from it.
 */
import type { z } from "zod";
import type { Header, HeaderEntry } from "../../transcript/transcript.ts";

/** Where an option may be set. `configuration`: in config.json and in `setup()`. */
type Setter = "configuration" | "agent" | "model" | "header" | "command line";

/** How a header writes a value, since its text is not typed as JSON is. */
interface HeaderForm<T> {
  /** Returns the value that the schema then checks. */
  read(entry: HeaderEntry, header: Header): unknown;
  /** Handles `key+:`; absent: the same as `key:`. */
  append?(configured: T | null, given: T): T;
  /** Whether it may be a list, which arrives joined by commas. */
  readonly isList: boolean;
}

export interface Option<Schema extends z.ZodType = z.ZodType, Value = unknown> {
  /** The valid values, with messages that say what to write. */
  readonly schema: Schema;
  /** The value when nothing sets it; null: what the help says. */
  readonly default: Value;
  readonly by: readonly Setter[];
  /** Merges the values of config.json and `setup`; absent: the value of `setup` wins. */
  merge?(file: z.output<Schema> | undefined, setup: z.output<Schema> | undefined): Value;
  readonly header?: HeaderForm<z.output<Schema>>;
  /** For the help; text in backquotes is code, `|…|` a tag. */
  readonly help: string;
  /** Shown in the help in place of the default. */
  readonly shownDefault?: string;
  /** Lua code, as it appears after `name =`. */
  readonly example: string;
  /** Also read by the Lua half, before the host runs. */
  readonly isLua?: true;
}

type Options = Readonly<Record<string, Option>>;

type Row<Schema extends z.ZodType, Value, By extends readonly Setter[]> = Omit<
  Option<Schema, Value>,
  "by" | "default"
> & { readonly by: By };

/** A row that always has a value. */
export function option<Schema extends z.ZodType, const By extends readonly Setter[]>(
  row: Row<Schema, z.output<Schema>, By> & { readonly default: z.output<Schema> },
) {
  return row;
}

/** A row that may have no value. */
export function optional<Schema extends z.ZodType, const By extends readonly Setter[]>(
  row: Row<Schema, z.output<Schema> | null, By>,
): Row<Schema, z.output<Schema> | null, By> & { readonly default: z.output<Schema> | null } {
  return { ...row, default: null };
}

/** A row of parts: a given value may lack some of them. */
export function parts<Schema extends z.ZodType, Value, const By extends readonly Setter[]>(
  row: Row<Schema, Value, By> & Required<Pick<Option<Schema, Value>, "default" | "merge">>,
) {
  return row;
}

/** The rows that may be set there. */
export type SetBy<T extends Options, Where extends Setter> = {
  readonly [Name in keyof T as Where extends T[Name]["by"][number] ? Name : never]: T[Name];
};

/** The values that were given. */
export type GivenOptions<T extends Options> = {
  readonly [Name in keyof T]?: z.output<T[Name]["schema"]>;
};

/** The values in force. */
export type OptionValues<T extends Options> = { readonly [Name in keyof T]: T[Name]["default"] };

/** The rows that may be set there, in their order. */
export function setBy<T extends Options, Where extends Setter>(
  options: T,
  where: Where,
): SetBy<T, Where> {
  const rows = Object.entries(options).filter(([, { by }]) => by.includes(where));
  return Object.fromEntries(rows) as SetBy<T, Where>;
}

/** An object schema in which each row may be absent. */
export function shapeOf<T extends Options>(options: T) {
  const shape = Object.entries(options).map(([name, { schema }]) => [name, schema.exactOptional()]);
  return Object.fromEntries(shape) as {
    [Name in keyof T]: z.ZodExactOptional<T[Name]["schema"]>;
  };
}

export function defaultsOf<T extends Options>(options: T): OptionValues<T> {
  const values = Object.entries(options).map(([name, row]) => [name, row.default]);
  return Object.fromEntries(values) as OptionValues<T>;
}

/** On one line, `\n` is a line break, as in the Lua version of Parley; a block has its own line breaks. */
export const text: HeaderForm<string> = {
  read: ({ value, form }) => (form === "block" ? value : value.replaceAll("\\n", "\n")).trim(),
  append: (configured, given) => [configured ?? "", given].join("\n").trim(),
  isList: false,
};

/** A text that nothing can be appended to. */
export const oneWord: HeaderForm<never> = { read: ({ value }) => value, isList: false };

export const numeral: HeaderForm<number> = {
  read: ({ value }) => (/^-?\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : value),
  isList: false,
};

export const flag: HeaderForm<boolean> = {
  read: ({ value }) => (value === "true" ? true : value === "false" ? false : value),
  isList: false,
};

/** Words with spaces or commas between them. */
export const words: HeaderForm<string[]> = {
  read: ({ value }) => value.split(/[\s,]+/).filter((word) => word !== ""),
  append: (configured, given) => [...new Set([...(configured ?? []), ...given])],
  isList: true,
};

/** `none`, or nothing, turns off what the configuration turns on. */
export const wordsOrNone: HeaderForm<string[]> = {
  ...words,
  read: ({ value }) => value.split(/[\s,]+/).filter((word) => word !== "" && word !== "none"),
};

/** A selection of tools. Without a configured selection, it is appended to all tools. */
export const selected: HeaderForm<string> = {
  read: ({ value }) => value,
  append: (configured, given) => `${configured ?? "*"}, ${given}`,
  isList: true,
};
