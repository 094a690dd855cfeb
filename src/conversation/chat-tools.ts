/** The tools of one chat, as the view, the request, the approval and the run need them. */
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
 * What the user's rules say about a call; `ask` also when no rule mentions it. `insist`: neither a remembered approval
 * nor a general rule allows it, because other programs execute what it changes, or what it reads looks like a secret.
 */
export type PolicyAnswer = "allow" | "ask" | "insist" | "deny";

/** What is known about a call before it is written to the transcript. */
export interface CallJudgement {
  readonly answer: PolicyAnswer;
  /**
   * What an approval of it is remembered for (`scopeOf`): the file it changes or the command it runs; null: its tool.
   */
  readonly changes: string | null;
}

/** What a chat offers: built when something changed, and shared by all its readers until the next change. */
export interface OfferedTools {
  /** Tools by their names on the wire. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** What changed in a tool since the user last approved it, in words, by the tool's name. */
  readonly changes: ReadonlyMap<string, string>;
  /** Sentences about what could not be listed. */
  readonly notices: readonly string[];
  /** Instructions of servers that are sent to the model. */
  readonly instructions: readonly ServerInstructions[];
  /** Servers whose tools are not known now. */
  readonly unlisted: readonly UnlistedServer[];
  /** What the user's rules say about a call of one of these tools, and what the call changes. */
  judge(tool: Tool, call: ToolCall): Promise<CallJudgement>;
  /** What a call is about, as its tool understands it; null when that cannot be determined. */
  subject(call: ToolCall): Promise<CallSubject | null>;
  /** What the calls of one batch would do, each after those before it; null: this cannot be known. */
  plans(calls: readonly ToolCall[]): Promise<readonly (CallPlan | null)[]>;
  /** Runs an approved call of one of these tools. */
  run(call: ToolCall, options: RunOptions): Promise<ToolOutput>;
}

export interface ChatTools {
  /** Checks whether a file changed, and returns what is offered now. */
  look(transcript: Transcript): Promise<OfferedTools>;
  /** Returns what the last look with such a header found, as long as no change was reported since. */
  current(transcript: Transcript): Promise<OfferedTools>;
  /** As `current`, but starts nothing: for showing calls that are not decided yet. */
  remembered(transcript: Transcript): Promise<OfferedTools>;
  /** Records that the user approved calls of these tools, as they are now. */
  approved(tools: readonly Tool[]): Promise<void>;
  /** Calls `listener` when something else may be offered. Returns a function that removes the listener. */
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
