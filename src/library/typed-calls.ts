/** Calls and results typed by the name of their tool: `call.name === "get_weather"` narrows arguments and value. */
import type { ImagePart, TextPart, ToolOutput } from "../conversation/ports.ts";
import type { CallNote } from "../conversation/proposed-call.ts";
import type { ToolContext, TypedTool } from "../tools/typed-tool.ts";

export type Tools = readonly TypedTool[];

/** A call that could run. */
export interface Call<Name extends string = string, Arguments = unknown> {
  /** As the model sent it; two calls of a response may share it. */
  readonly id: string;
  readonly name: Name;
  /** As parsed by the tool's schema, with defaults filled in. */
  readonly arguments: Arguments;
  /** The arguments as the model sent them. */
  readonly json: string;
  /** Why the user should look at it: it was read from text that may not have been meant as it reads. */
  readonly notes: readonly CallNote[];
}

/** The outcome of a call of a response. */
export type CallOutcome<Name extends string = string, Arguments = unknown, Value = unknown> = {
  readonly id: string;
  readonly name: Name;
  /** As it is sent to the model. */
  readonly content: readonly (TextPart | ImagePart)[];
} & (
  | {
      readonly status: "ok";
      readonly isError: false;
      readonly arguments: Arguments;
      /** What the tool's `run` returned. */
      readonly value: Value;
    }
  | {
      /** How a tool that ran ended; `error` also for a call that was not run. */
      readonly status: Exclude<ToolOutput["status"], "ok">;
      readonly isError: true;
      /** Undefined when no tool accepted them: the tool is unknown, or its arguments do not fit. */
      readonly arguments: Arguments | undefined;
      readonly value: undefined;
    }
);

type CallOfTool<One> = One extends {
  readonly name: infer Name extends string;
  parse(value: unknown): Promise<infer Arguments>;
}
  ? Call<Name, Arguments>
  : never;

/** A call of one of these tools. */
export type CallOf<All extends Tools> = { [Index in keyof All]: CallOfTool<All[Index]> }[number];

/** What the tool's `run` returns; unknown for a tool that its caller runs. */
type ValueOf<One> = One extends { run?(args: never, context: ToolContext): infer Given }
  ? Awaited<Given>
  : unknown;

type ResultOfTool<One> =
  CallOfTool<One> extends Call<infer Name, infer Arguments>
    ? CallOutcome<Name, Arguments, ValueOf<One>>
    : never;

/** The result of a call of one of these tools. */
export type ResultOf<All extends Tools> = {
  [Index in keyof All]: ResultOfTool<All[Index]>;
}[number];
