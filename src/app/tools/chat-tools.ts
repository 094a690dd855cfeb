/** The tools offered in one chat, as one value that is made again on changes. View, request, key and run all use it. */
import type { ChatTools, OfferedTools } from "../../conversation/chat-tools.ts";
import { scopeOf } from "../../conversation/decide/remembered.ts";
import type {
  CallPlan,
  ListOptions,
  PlannedWorld,
  RunOptions,
  ServerInstructions,
  Tool,
  ToolCalls,
  ToolListing,
} from "../../conversation/ports.ts";
import { createYield } from "../../shared/event-loop.ts";
import { visible } from "../../shared/visible.ts";
import type { CombinedTools } from "../../tools/combined-hosts.ts";
import type { ToolCall, Transcript } from "../../transcript/transcript.ts";
import {
  type ApprovedTool,
  approvedFolder,
  approvedTools,
  changeSince,
  isUnknown,
  keepApproved,
  today,
} from "../state/approved-tools.ts";
import type { Keep } from "../state/own-files.ts";
import { instructionsFolder, instructionsStatus } from "../state/seen-instructions.ts";
import type { Policy } from "./policy.ts";
import type { ToolChanges } from "./tool-changes.ts";

/** The tools that are wanted: a tool selection (null: all) and the model that gets them, `provider/id`. */
export interface WantedTools {
  readonly selection: string | null;
  readonly model: string;
}

export interface ChatToolsSources {
  /** The tools of the current configuration. */
  tools(): CombinedTools;
  readonly stateFolder: string;
  readonly changes: ToolChanges;
  wanted(transcript: Transcript): WantedTools;
  /** The user's current rules, with those of the project as of the last look. */
  policy(): Policy;
  /** The options for running a call in this chat. */
  inChat(how: RunOptions): RunOptions;
  readonly keep: Keep;
}

interface Loaded {
  readonly offered: OfferedTools;
  readonly isPassing: boolean;
  /** What runs and judges the offered tools. */
  readonly doing: Doing;
  /** What the user last approved, by tool name. */
  readonly approved: ReadonlyMap<string, ApprovedTool>;
}

interface Doing {
  readonly calls: ToolCalls;
  readonly policy: Policy;
  readonly inChat: ChatToolsSources["inChat"];
}

/** What was loaded, and what it was loaded for. */
interface Known {
  readonly key: string;
  readonly times: number;
  readonly loaded: Promise<Loaded>;
}

export function createChatTools(sources: ChatToolsSources): ChatTools {
  const { changes, stateFolder } = sources;
  let known: Known | null = null;
  let remembered: Known | null = null;
  const holds = (one: Known | null, wanted: WantedTools): one is Known =>
    one?.key === keyOf(wanted) && one.times === changes.times;
  const begin = (wanted: WantedTools, how?: ListOptions): Known => ({
    key: keyOf(wanted),
    times: changes.times,
    loaded: load(wanted, sources, how),
  });
  const offeredBy = async ({ loaded }: Known) => (await loaded).offered;

  const list = (wanted: WantedTools): Promise<OfferedTools> => {
    const mine = begin(wanted);
    known = mine;
    mine.loaded.catch(() => {
      if (known === mine) known = null;
    });
    return offeredBy(mine);
  };

  return {
    async look(transcript) {
      changes.look();
      const wanted = sources.wanted(transcript);
      const last = known;
      const isKept = holds(last, wanted) && !(await last.loaded).isPassing;
      return isKept ? offeredBy(last) : list(wanted);
    },
    async current(transcript) {
      const wanted = sources.wanted(transcript);
      return holds(known, wanted) ? offeredBy(known) : list(wanted);
    },
    async remembered(transcript) {
      const wanted = sources.wanted(transcript);
      if (holds(known, wanted)) return offeredBy(known);
      if (holds(remembered, wanted)) return offeredBy(remembered);
      const mine = begin(wanted, { asRemembered: true });
      remembered = mine;
      mine.loaded.catch(() => {
        if (remembered === mine) remembered = null;
      });
      return offeredBy(mine);
    },
    async approved(tools) {
      const last = known;
      const before = await last?.loaded;
      const isKept = (tool: Tool) =>
        before?.offered.tools.get(tool.name) === tool &&
        before.approved.get(tool.name)?.day === today() &&
        !before.offered.changes.has(tool.name);
      // A key waits for this, and most tools were already approved today as they are.
      const fresh = tools.filter((tool) => !isKept(tool));
      if (fresh.length === 0) return;
      const approved = await changes.files.write(approvedFolder(stateFolder), () =>
        keepApproved(stateFolder, fresh, sources.keep),
      );
      if (known === null) return;
      known = {
        ...known,
        loaded: known.loaded.then((all) => withApproved(all, approved)),
      };
    },
    onChange: (listener) => changes.add(listener),
  };
}

const keyOf = ({ selection, model }: WantedTools) => JSON.stringify([selection, model]);

async function load(
  { selection, model }: WantedTools,
  sources: ChatToolsSources,
  how?: ListOptions,
): Promise<Loaded> {
  const { changes, stateFolder } = sources;
  const all = await sources.tools().list(selection, model, how);
  const tools = new Map(all.tools.map((tool) => [tool.name, tool]));
  // Other Neovims write into this folder, too.
  changes.files.version(approvedFolder(stateFolder));
  const approved = await approvedTools(stateFolder, all.tools);
  const { instructions, unsent } = await judgeInstructions(all, sources);
  const { unlisted = [], calls, isPassing = false } = all;
  const found = { tools, instructions, unlisted, notices: [...all.notices, ...unsent] };
  const doing = { calls, policy: sources.policy(), inChat: sources.inChat };
  const facts = { ...found, changes: changesOf(tools, approved) };
  const offered = offeredTools(facts, approved, doing);
  return { offered, isPassing, doing, approved };
}

function changesOf(
  tools: ReadonlyMap<string, Tool>,
  approved: ReadonlyMap<string, ApprovedTool>,
): ReadonlyMap<string, string> {
  const found = [...tools].map(([name, tool]) => [name, changeSince(approved.get(name), tool)]);
  return new Map(found.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** The instructions that go to the model, and a sentence for each other one that the user may want to see. */
async function judgeInstructions(
  { tools, instructions = [] }: ToolListing,
  { changes, stateFolder, keep }: ChatToolsSources,
) {
  const used = instructions.filter(({ server }) => tools.some((tool) => tool.server === server));
  if (used.length > 0) changes.files.version(instructionsFolder(stateFolder));
  const unsent: string[] = [];
  const sent: ServerInstructions[] = [];
  for (const one of used) {
    const status = await instructionsStatus(stateFolder, one, keep);
    const name = visible(one.server);
    const way = `:Parley mcp instructions ${name} shows them and asks.`;
    if (status === "sent") sent.push(one);
    if (status === "changed")
      unsent.push(`MCP server ${name} changed its instructions, so they are not sent. ${way}`);
    if (status === "unseen")
      unsent.push(`MCP server ${name} of this project has instructions; they are not sent. ${way}`);
  }
  return { instructions: sent, unsent };
}

type Facts = Pick<OfferedTools, "tools" | "changes" | "notices" | "instructions" | "unlisted">;

function offeredTools(
  facts: Facts,
  approved: Loaded["approved"],
  { calls, policy, inChat }: Doing,
): OfferedTools {
  const subject = async (call: ToolCall) => (await calls.subject?.(call)) ?? null;
  return {
    ...facts,
    subject,
    async judge(tool, call) {
      const about = await subject(call);
      const { answer } = policy(tool, call, about);
      // The rule was written for the tool as approved, not for a changed one or a project's tool with the same name.
      const isOther = facts.changes.has(tool.name) || isUnknown(tool, approved.get(tool.name));
      const isAsked = answer === "allow" && isOther;
      return { answer: isAsked ? "ask" : answer, changes: scopeOf(about) };
    },
    async plans(batch) {
      const world: PlannedWorld = { texts: new Map(), seen: new Set() };
      const plans: (CallPlan | null)[] = [];
      const yieldNow = createYield();
      for (const call of batch) {
        await yieldNow();
        plans.push((await calls.plan?.(call, world)) ?? null);
      }
      return plans;
    },
    run: (call, how) => calls.run(call, inChat(how)),
  };
}

/** The same tools after the user approved them as they are now. */
function withApproved(
  { offered, doing, approved: before, isPassing }: Loaded,
  fresh: ReadonlyMap<string, ApprovedTool>,
): Loaded {
  const approved = new Map([...before, ...fresh]);
  const facts = { ...offered, changes: changesOf(offered.tools, approved) };
  return { offered: offeredTools(facts, approved, doing), isPassing, doing, approved };
}
