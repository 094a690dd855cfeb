/** The ways in which a header writes values. */
import type { HeaderForm } from "./option.ts";

/** On one line `\n` is a line break, as the Lua Parley writes it; a block has its own. */
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

/** `none`, or nothing, switches off what the configuration has on. */
export const wordsOrNone: HeaderForm<string[]> = {
  ...words,
  read: ({ value }) => value.split(/[\s,]+/).filter((word) => word !== "" && word !== "none"),
};

/** A selection of tools. Appended to nothing, it is appended to all of them. */
export const selected: HeaderForm<string> = {
  read: ({ value }) => value,
  append: (configured, given) => `${configured ?? "*"}, ${given}`,
  isList: true,
};
