/** JSON as people write it in settings: with comments and trailing commas. */
import {
  findNodeAtLocation,
  getNodeValue,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

export type JsonPath = readonly (string | number)[];

export interface CommentedJson {
  /** What could be read; undefined when there is nothing. */
  readonly value: unknown;
  readonly syntaxErrors: readonly { readonly line: number; readonly reason: string }[];
  /** Counted from 1: the line of the key, or of the nearest one above it that is in the text. */
  lineOf(path: JsonPath): number;
}

/** Never throws: what can be read around a mistake is read. */
export function readCommentedJson(text: string): CommentedJson {
  const errors: ParseError[] = [];
  const clean = text.replace(/^\ufeff/, "");
  const root = parseTree(clean, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const lineAt = (offset: number) => clean.slice(0, offset).split("\n").length;
  return {
    value: root === undefined ? undefined : getNodeValue(root),
    syntaxErrors: errors.map(({ error, offset }) => ({
      line: lineAt(offset),
      reason: printParseErrorCode(error)
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase(),
    })),
    lineOf(path) {
      if (root === undefined) return 1;
      for (let length = path.length; length > 0; length -= 1) {
        const node = findNodeAtLocation(root, path.slice(0, length));
        if (node !== undefined) return lineAt((node.parent ?? node).offset);
      }
      return lineAt(root.offset);
    },
  };
}
