/** Tools as a person switches them on and off, and the words for `tools` that say the same. */
import type { Tool } from "../ports.ts";
import {
  builtinGroup,
  isWord,
  parseSelection,
  readSelection,
  type SelectableTool,
  selectable,
  selects,
  selectsBuiltin,
  type ToolSelection,
} from "./tool-selection.ts";

/** The tools of one server, or of one group of ours, by its name in a selection. */
export interface SwitchGroup {
  readonly name: string;
  readonly tools: readonly SwitchedTool[];
}

export interface SwitchedTool {
  readonly tool: Tool;
  /** As a selection names it. */
  readonly word: string;
  readonly isOn: boolean;
}

/** Tools of the person's own files, which no group names. */
const ownGroup = "own tools";

/** `all` are the tools there are; `selection` null: all but the built-in ones. */
export function switchGroups(
  all: readonly Tool[],
  selection: string | null,
): readonly SwitchGroup[] {
  const parsed = readSelection(selection);
  const groups = new Map<string, SwitchedTool[]>();
  for (const tool of all) {
    const { name, server, serverTool } = selectable(tool);
    const group = server ?? ownGroup;
    const isOn = isOffered(parsed, { name, server, serverTool });
    const word =
      server === null || !isWord(`${server}.${serverTool}`) ? name : `${server}.${serverTool}`;
    groups.set(group, [...(groups.get(group) ?? []), { tool, word, isOn }]);
  }
  return [...groups].map(([name, tools]) => ({ name, tools }));
}

function isOffered(selection: ToolSelection | null, tool: SelectableTool): boolean {
  if (tool.server === builtinGroup)
    return selection !== null && selectsBuiltin(selection, tool.name);
  return selection === null || selects(selection, tool);
}

/** `id` is the name of a group or the word of a tool; one that is on in part goes on. */
export function switched(groups: readonly SwitchGroup[], id: string): readonly SwitchGroup[] {
  return groups.map(({ name, tools }) => {
    const isAllOn = tools.every(({ isOn }) => isOn);
    return {
      name,
      tools: tools.map((one) => {
        if (name === id) return { ...one, isOn: !isAllOn };
        return one.word === id ? { ...one, isOn: !one.isOn } : one;
      }),
    };
  });
}

/**
 * The selection that means these; null: what holds without one. `others`: servers that come later are offered too, as
 * long as nothing has to be named that is off by itself.
 */
export function selectionOf(groups: readonly SwitchGroup[], others: boolean): string | null {
  const needsNames = groups.some(
    ({ name, tools }) => name === builtinGroup && tools.some(({ isOn }) => isOn),
  );
  const words = others && !needsNames ? groups.flatMap(removals) : groups.flatMap(listed);
  if (words.length > 0) return words.join(", ");
  return others && !needsNames ? null : "none";
}

/** Whether the selection leaves room for servers that nobody has named. */
export function takesOthers(selection: string | null): boolean {
  return selection === null || parseSelection(selection).selection.others;
}

function isNamed(group: string): boolean {
  return group !== ownGroup && isWord(group);
}

function removals({ name, tools }: SwitchGroup): readonly string[] {
  if (name === builtinGroup) return [];
  if (isNamed(name) && tools.every(({ isOn }) => !isOn)) return [`-${name}`];
  return tools.flatMap(({ isOn, word }) => (isOn ? [] : [`-${word}`]));
}

function listed({ name, tools }: SwitchGroup): readonly string[] {
  const on = tools.filter(({ isOn }) => isOn);
  if (!isNamed(name) || on.length * 2 < tools.length) return on.map(({ word }) => word);
  return [name, ...tools.flatMap(({ isOn, word }) => (isOn ? [] : [`-${word}`]))];
}
