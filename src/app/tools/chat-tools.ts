/** What is offered in one chat, listed when something changed and kept until then. */
import type { ChatTools, OfferedTools } from "../../conversation/chat-tools.ts";
import {
  type CallSubject,
  type ListOptions,
  type ServerInstructions,
  scopeOf,
  type Tool,
  type ToolHost,
  type ToolListing,
} from "../../conversation/ports.ts";
import type { Listeners } from "../../shared/listeners.ts";
import { visible } from "../../shared/visible.ts";
import type { ToolCall, Transcript } from "../../transcript/transcript.ts";
import { approvedTools, changeSince, keepApproved } from "../state/approved-tools.ts";
import { standingOf } from "../state/seen-instructions.ts";
import type { Verdict } from "./policy.ts";

/** Which tools are meant: a tool selection (null: all) and the model that gets them, `provider/id`. */
export interface WantedTools {
  readonly selection: string | null;
  readonly model: string;
}

export interface ChatToolsSources {
  /** Those in force now. */
  tools(): ToolHost;
  readonly stateFolder: string;
  /** Heard whenever servers, files or the configuration offer something else. */
  readonly toolsChanged: Listeners;
  wanted(transcript: Transcript): WantedTools;
  subject(call: ToolCall): Promise<CallSubject | null>;
  verdict(tool: Tool, call: ToolCall, subject: CallSubject | null): Verdict;
  plans: ChatTools["plans"];
}

/** What was listed, as long as it holds. */
interface Listed {
  readonly key: string;
  readonly times: number;
  readonly offered: Promise<OfferedTools>;
}

export function createChatTools(sources: ChatToolsSources): ChatTools {
  const { toolsChanged, stateFolder } = sources;
  let known: Listed | null = null;
  let remembered: Listed | null = null;
  const holds = (listed: Listed | null, wanted: WantedTools): listed is Listed =>
    listed?.key === keyOf(wanted) && listed.times === toolsChanged.times;

  const list = (wanted: WantedTools): Promise<OfferedTools> => {
    const { times } = toolsChanged;
    const listed = { key: keyOf(wanted), times, offered: load(wanted, sources) };
    known = listed;
    listed.offered.catch(() => {
      if (known === listed) known = null;
    });
    return listed.offered;
  };

  return {
    list: async (transcript) => list(sources.wanted(transcript)),
    async current(transcript) {
      const wanted = sources.wanted(transcript);
      return holds(known, wanted) ? known.offered : list(wanted);
    },
    async remembered(transcript) {
      const wanted = sources.wanted(transcript);
      if (holds(known, wanted)) return known.offered;
      if (holds(remembered, wanted)) return remembered.offered;
      const { times } = toolsChanged;
      const offered = load(wanted, sources, { asRemembered: true });
      const listed = { key: keyOf(wanted), times, offered };
      remembered = listed;
      offered.catch(() => {
        if (remembered === listed) remembered = null;
      });
      return offered;
    },
    async approved(tools) {
      await keepApproved(stateFolder, tools);
      if (known === null) return;
      const names = new Set(tools.map(({ name }) => name));
      known = {
        ...known,
        offered: known.offered.then((all) => withoutChanges(all, names, sources)),
      };
    },
    plans: sources.plans,
    onChange: (listener) => toolsChanged.add(listener),
  };
}

const keyOf = ({ selection, model }: WantedTools) => JSON.stringify([selection, model]);

async function load(
  { selection, model }: WantedTools,
  sources: ChatToolsSources,
  how?: ListOptions,
): Promise<OfferedTools> {
  const all = await sources.tools().list(selection, model, how);
  const { tools: listed, notices } = all;
  const tools = new Map(listed.map((tool) => [tool.name, tool]));
  const changes = await changesSinceApproval(tools, sources.stateFolder);
  const { instructions, unsent } = await judgeInstructions(all, sources.stateFolder);
  const { unlisted = [] } = all;
  const offered = { tools, changes, instructions, unlisted, notices: [...notices, ...unsent] };
  return offeredTools(offered, sources);
}

/** Those that go to the model, and a sentence on each that does not and that the person may want to see. */
async function judgeInstructions({ tools, instructions = [] }: ToolListing, stateFolder: string) {
  const used = instructions.filter(({ server }) => tools.some((tool) => tool.server === server));
  const unsent: string[] = [];
  const sent: ServerInstructions[] = [];
  for (const one of used) {
    const standing = await standingOf(stateFolder, one);
    const name = visible(one.server);
    const way = `:Parley mcp instructions ${name} shows them and asks.`;
    if (standing === "sent") sent.push(one);
    if (standing === "changed")
      unsent.push(`MCP server ${name} changed its instructions, so they are not sent. ${way}`);
    if (standing === "unseen")
      unsent.push(`MCP server ${name} of this project has instructions; they are not sent. ${way}`);
  }
  return { instructions: sent, unsent };
}

function offeredTools(
  given: Omit<OfferedTools, "judge">,
  { subject, verdict }: Pick<ChatToolsSources, "subject" | "verdict">,
): OfferedTools {
  return {
    ...given,
    async judge(tool, call) {
      const about = await subject(call);
      const { answer } = verdict(tool, call, about);
      // A rule was written for the tool as it was.
      const isOther = answer === "allow" && given.changes.has(tool.name);
      return { answer: isOther ? "ask" : answer, changes: scopeOf(about) };
    },
  };
}

/** A person said yes to these tools as they are now. */
function withoutChanges(
  offered: OfferedTools,
  names: ReadonlySet<string>,
  sources: ChatToolsSources,
): OfferedTools {
  const changes = new Map([...offered.changes].filter(([name]) => !names.has(name)));
  return offeredTools({ ...offered, changes }, sources);
}

async function changesSinceApproval(
  tools: ReadonlyMap<string, Tool>,
  stateFolder: string,
): Promise<ReadonlyMap<string, string>> {
  const approved = await approvedTools(stateFolder, tools.values());
  const found = [...tools].map(([name, tool]) => [name, changeSince(approved.get(name), tool)]);
  return new Map(found.filter((entry): entry is [string, string] => entry[1] !== null));
}
