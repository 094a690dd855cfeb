/** Tools as the user switches them on and off, and the `tools` selection that says the same. */
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

/** The tools of one server, or of one group of other tools, by its name in a selection. */
export interface SwitchGroup {
  readonly name: string;
  readonly tools: readonly SwitchedTool[];
}

export interface SwitchedTool {
  readonly tool: Tool;
  /** Its name in a selection. */
  readonly word: string;
  readonly isOn: boolean;
}

/** Tools of the user's own files, which no group names. */
const ownGroup = "own tools";

/** `all` are the existing tools; with `selection` null, all but the built-in ones are on. */
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

/** Switches the group or tool `id` (a group's name or a tool's word); a group that is partly on is switched on. */
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
 * Returns the selection for these switches; null: the default. `others`: servers added later are offered too, as long
 * as no tool must be named that is off by default.
 */
export function selectionOf(groups: readonly SwitchGroup[], others: boolean): string | null {
  const needsNames = groups.some(
    ({ name, tools }) => name === builtinGroup && tools.some(({ isOn }) => isOn),
  );
  const words = others && !needsNames ? groups.flatMap(removals) : groups.flatMap(listed);
  if (words.length > 0) return words.join(", ");
  return others && !needsNames ? null : "none";
}

/** Whether the selection includes servers that it does not name. */
export function includesUnnamedServers(selection: string | null): boolean {
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
