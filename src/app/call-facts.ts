/** What is known here of a proposed call beside its text. */
import type { CallFacts } from "../conversation/call-view.ts";
import { rememberedBy } from "../conversation/decide/remembered.ts";
import type { Tool, ToolHost } from "../conversation/ports.ts";
import type { ChatPorts } from "../conversation/turn/chat.ts";
import type { ToolCall, Transcript } from "../transcript/transcript.ts";
import type { App } from "./app.ts";
import { callVerdict } from "./chat-ports.ts";
import { approvedTools, changeSince } from "./state/approved-tools.ts";
import type { Verdict } from "./tools/policy.ts";

/** Asks the servers anew, so that what is shown is what would run. */
export async function callFacts(
  app: App,
  ports: Pick<ChatPorts, "tools" | "remembered">,
  transcript: Transcript,
  call: ToolCall | null,
): Promise<CallFacts> {
  const tool = call && ((await ports.tools.list(transcript)).tools.get(call.name) ?? null);
  if (call === null || tool === null) {
    return { tool: null, launch: [], rule: "nothing runs", history: [], preview: null };
  }
  const approved = (await approvedTools(app.options.stateFolder, [tool])).get(tool.name);
  const change = changeSince(approved, tool);
  const [launch, preview, memory] = await Promise.all([
    tool.server === null ? [] : app.servers.launch(tool.server),
    app.now.tools.preview?.(call) ?? null,
    memoryOf(ports, transcript, tool),
  ]);
  const unchanged =
    approved === undefined
      ? "no key said yes to it on this machine yet"
      : `definition unchanged since it was approved on ${approved.day}`;
  return {
    tool,
    launch,
    rule: ruleText(callVerdict(app, tool, call), change !== null),
    history: tool.server === null ? [memory] : [memory, change ?? unchanged],
    preview,
  };
}

function ruleText({ answer, rule }: Verdict, isChanged: boolean): string {
  if (rule === null) return "none speaks of this call, so it is asked";
  const words = { allow: "allowed", ask: "asked", deny: "never run" };
  const isAsked = answer === "allow" && isChanged;
  return `${rule}, so: ${isAsked ? "asked, because the definition changed" : words[answer]}`;
}

async function memoryOf(
  { remembered }: Pick<ChatPorts, "remembered">,
  transcript: Transcript,
  tool: Tool,
): Promise<string> {
  const [records, path] = await Promise.all([remembered.records(), remembered.path()]);
  const mark = rememberedBy(tool, transcript, records, path);
  return mark === null ? "not remembered in this chat" : `remembered by a [${mark}] line above`;
}

/** What the calls in these lines would do, by the text of their lines; most calls say all by their arguments. */
export async function previewCalls(
  tools: ToolHost,
  { exchanges }: Transcript,
  lines: readonly number[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const blocks = exchanges
    .flatMap(({ answer }) => answer?.steps ?? [])
    .flatMap(({ calls }) => calls)
    .filter(({ line }) => lines.includes(line));
  const found = new Map<string, readonly string[]>();
  for (const { call, lineText } of blocks) {
    const preview = call && (await tools.preview?.(call));
    if (preview) found.set(lineText, preview);
  }
  return found;
}
