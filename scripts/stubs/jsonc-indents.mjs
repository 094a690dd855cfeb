// Stands in for the 1,200 line ends with indents that jsonc-parser makes when it is loaded, a third of a megabyte of
// each process and a millisecond of its start. Where it knows of none, it puts them together when it writes.
export const cachedSpaces = Array.from({ length: 20 }, (_, count) => " ".repeat(count));
export const cachedBreakLinesWithSpaces = {};
export const supportedEols = [];
