/** Whether a model must call a tool: the setting `tool_choice`, and which part of it applies to one request. */

import type { ToolChoice } from "../ports.ts";

/** Parses `auto`, `required`, `none` or the name of a tool; null for any other text. */
export function parseToolChoice(choice: string): ToolChoice | null {
  if (choice === "auto" || choice === "required" || choice === "none") return choice;
  return /^[A-Za-z0-9_.:/-]+$/.test(choice) ? { tool: choice } : null;
}

/**
 * `required` and a named tool apply to the first request of a turn: a model that had to call again after every result
 * would never finish. `none` and `auto` apply to all requests.
 */
export function toolChoiceOfRequest(choice: ToolChoice, isFirst: boolean): ToolChoice {
  return isFirst || choice === "none" ? choice : "auto";
}
