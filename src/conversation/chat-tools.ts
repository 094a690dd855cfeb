/** The tools of one chat, as view, request, approval and run ask for them. */
import type { ToolCall, Transcript } from "../transcript/transcript.ts";
import type {
  CallPlan,
  CallSubject,
  RunOptions,
  ServerInstructions,
  Tool,
  ToolOutput,
  UnlistedServer,
} from "./ports.ts";
import { failedOutput, unknownToolText } from "./results.ts";

/**
 * What a rule of the user's configuration says of a call; `ask` also when no rule speaks of it. `insist`: neither a
 * memory nor a general rule allows it, since other programs execute what it changes, or what it reads looks like a secret.
 */
export type PolicyAnswer = "allow" | "ask" | "insist" | "deny";

/** What is known of a call before it is written. */
export interface CallJudgement {
  readonly answer: PolicyAnswer;
  /** What a yes to it is remembered for (`scopeOf`): the file that it changes, the command that it runs; null: its tool. */
  readonly changes: string | null;
}

/** What a chat offers: made when something changed, and the same for all who ask until something does. */
export interface OfferedTools {
  /** By wire name. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** What of a tool is another than when a person approved it last, by the tool's name, in words. */
  readonly changes: ReadonlyMap<string, string>;
  /** Sentences about what could not be had. */
  readonly notices: readonly string[];
  /** Instructions of servers that go to the model. */
  readonly instructions: readonly ServerInstructions[];
  /** Servers whose tools are not known now. */
  readonly unlisted: readonly UnlistedServer[];
  /** What the user's own rules say of a call of one of these tools, and what it changes. */
  judge(tool: Tool, call: ToolCall): Promise<CallJudgement>;
  /** What a call is about, as its tool reads it; null when that cannot be told. */
  subject(call: ToolCall): Promise<CallSubject | null>;
  /** What the calls of one batch would do, each after those before it; null: nobody can know. */
  plans(calls: readonly ToolCall[]): Promise<readonly (CallPlan | null)[]>;
  /** Runs an approved call of one of these tools. */
  run(call: ToolCall, options: RunOptions): Promise<ToolOutput>;
}

export interface ChatTools {
  /** Looks whether a file changed: what is offered now. */
  look(transcript: Transcript): Promise<OfferedTools>;
  /** What was offered at the last look at such a header, as long as nothing said that it is another now. */
  current(transcript: Transcript): Promise<OfferedTools>;
  /** As `current`, but nothing is started: for showing calls that nobody decided about yet. */
  remembered(transcript: Transcript): Promise<OfferedTools>;
  /** A person said yes to calls of these tools, as they are now. */
  approved(tools: readonly Tool[]): Promise<void>;
  /** Something else may be offered from now on. Gives back what ends it. */
  onChange(listener: () => void): () => void;
}

export const noTools: OfferedTools = {
  tools: new Map(),
  changes: new Map(),
  notices: [],
  instructions: [],
  unlisted: [],
  judge: async () => ({ answer: "ask", changes: null }),
  subject: async () => null,
  plans: async (calls) => calls.map(() => null),
  run: async ({ name }) => failedOutput(unknownToolText(name, [])),
};
