/** How a tool choice holds over the requests of one turn. */
import type { ToolChoice } from "./types.ts";

/**
 * `required` and a named tool hold for the first request of a turn: a model that had to call again after every
 * result would never end. `none` and `auto` hold for all.
 */
export function choiceOfRequest(choice: ToolChoice, isFirst: boolean): ToolChoice {
  return isFirst || choice === "none" ? choice : "auto";
}
