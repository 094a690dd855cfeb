/** A chat over lines in memory: a scripted model, tools that count their runs, nothing outside the process. */

import { type ChatTools, noTools, type OfferedTools } from "../../src/conversation/chat-tools.ts";
import type {
  Editor,
  SaveEnd,
  Snapshot,
  Splice,
  UndoGroup,
} from "../../src/conversation/editor.ts";
import type { ModelRequest, StreamPart, Tool, ToolOutput } from "../../src/conversation/ports.ts";
import { buildMessages } from "../../src/conversation/request/build-messages.ts";
import { estimateSize } from "../../src/conversation/request/request-size.ts";
import { Chat, type ChatPorts } from "../../src/conversation/turn/chat.ts";
import { unknownFacts } from "../../src/conversation/usage.ts";
import { applyEdits } from "../../src/transcript/edits/layout.ts";
import type { ToolCall } from "../../src/transcript/transcript.ts";

export interface Turn {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
}

export interface MemoryChat {
  readonly chat: Chat;
  readonly editor: MemoryEditor;
  /** The calls that ran, as `id arguments`. */
  readonly runs: readonly string[];
  readonly requests: readonly ModelRequest[];
}

export class MemoryEditor implements Editor {
  lines: readonly string[];
  /** The lines at every save. */
  readonly saves: (readonly string[])[] = [];
  /** How many edits were for a text that had moved on. */
  refused = 0;
  /** Of the text, and as it was heard of last: a write of the file moves the first alone, and its answer tells it. */
  #tick = 0;
  #known = 0;
  readonly #listeners = new Set<(splice: Splice) => void>();

  constructor(text: string) {
    this.lines = text.split("\n");
  }

  async read() {
    return { lines: this.lines, tick: this.#known };
  }

  async apply({ tick }: Pick<Snapshot, "tick">, edits: readonly Splice[]) {
    if (tick !== this.#tick) {
      this.refused += 1;
      this.#known = this.#tick;
      return "stale" as const;
    }
    this.lines = applyEdits(this.lines, edits);
    this.#tick += 1;
    this.#known = this.#tick;
    for (const edit of [...edits].reverse()) {
      for (const listener of this.#listeners) listener(edit);
    }
    return "applied" as const;
  }

  async openTip(
    from: Pick<Snapshot, "tick">,
    { edits, tip }: { edits: readonly Splice[]; tip: { readonly line: number } },
    _undo?: UndoGroup,
    saves = false,
  ): ReturnType<Editor["openTip"]> {
    if (from.tick !== this.#tick) return "stale" as const;
    if (saves) {
      const saved = await this.save(true);
      if (saved !== "saved") return { unsaved: saved };
      from = { tick: this.#tick };
    }
    if ((await this.apply(from, edits)) === "stale") return "stale" as const;
    let { line } = tip;
    return {
      write: async (render: (prefix: string) => string) => {
        const before = this.lines[line] ?? "";
        const lines = (before + render(before)).split("\n");
        await this.apply({ tick: this.#tick }, [{ start: line, end: line + 1, lines }]);
        line += lines.length - 1;
        return "written" as const;
      },
      line: async () => line,
      mark: async () => line + 1,
      restoreMark: async () => line + 1,
      close: async () => {},
    };
  }

  async save(_quick = false): Promise<SaveEnd> {
    this.saves.push(this.lines);
    this.#tick += 1;
    this.#known = this.#tick;
    return "saved";
  }

  onSplice(listener: (splice: Splice) => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export const search: Tool = {
  name: "search",
  description: "Searches.",
  inputSchema: { type: "object" },
  server: null,
};

/** Tools that are listed by this whenever they are asked for. */
export function chatTools(
  list: () => Promise<ReadonlyMap<string, Tool>>,
  plans: OfferedTools["plans"] = noTools.plans,
): ChatTools {
  const offered = async () => ({ ...noTools, tools: await list(), plans });
  return {
    look: offered,
    current: offered,
    remembered: offered,
    approved: async () => {},
    onChange: () => () => {},
  };
}

/** The same tools, which run by this. */
function runBy(run: OfferedTools["run"], tools: ChatTools): ChatTools {
  const by = (ask: ChatTools["look"]): ChatTools["look"] => {
    return async (transcript) => ({ ...(await ask(transcript)), run });
  };
  const { look, current, remembered } = tools;
  return { ...tools, look: by(look), current: by(current), remembered: by(remembered) };
}

/** Plays the turn whose number is that of the assistant's messages in the request, as `mock/file` does. */
async function* play(turns: readonly Turn[], request: ModelRequest): AsyncGenerator<StreamPart> {
  const number = request.messages.filter(({ role }) => role === "assistant").length;
  const { text = "", calls = [] } = turns[number] ?? { text: "Nothing more." };
  if (text !== "") yield { type: "text-delta", text };
  for (const call of calls) yield { type: "tool-call", call };
  yield { type: "finish", reason: calls.length > 0 ? "tool-calls" : "stop", rawReason: "" };
}

export function openMemoryChat(
  text: string,
  turns: readonly Turn[],
  { runTool, ...ports }: Partial<ChatPorts> & { readonly runTool?: OfferedTools["run"] } = {},
  otherTools: readonly Tool[] = [],
): MemoryChat {
  const editor = new MemoryEditor(text);
  const runs: string[] = [];
  const requests: ModelRequest[] = [];
  const counted = async (call: ToolCall): Promise<ToolOutput> => {
    runs.push(`${call.id} ${call.arguments}`);
    return { status: "ok", text: `found ${call.arguments}`, media: [] };
  };
  const tools = new Map([search, ...otherTools].map((tool) => [tool.name, tool]));
  const chat = new Chat({
    editor,
    async *stream(request, { ready }) {
      await ready;
      requests.push(request);
      yield* play(turns, request);
    },
    prepare: async (transcript, exchange, { steps }) => {
      const { messages } = buildMessages(transcript, {
        exchange,
        files: new Map(),
        maxFullExchanges: 42,
        ...(steps === undefined ? {} : { steps }),
      });
      const model = { provider: "mock", id: "script" };
      const request = { model, system: "", messages, tools: [...tools.values()] };
      const facts = unknownFacts;
      return {
        request,
        size: estimateSize(request),
        label: "script",
        model: "mock/script",
        facts,
        files: null,
        references: [],
        search: null,
        offered: { ...noTools, tools },
        notices: [],
      };
    },
    validate: () => null,
    keepOutput: async (output) => ({
      text: output.text,
      attachments: [],
      fullText: null,
      notices: [],
    }),
    drive: async () => ({ type: "holding", release: async () => {} }),
    keepReplaced: async () => "kept.md",
    spent: () => {},
    remembered: {
      path: async () => null,
      records: async () => [],
      add: async () => {},
      drop: async () => {},
      willWrite: async () => {},
    },
    secret: async () => "secret",
    limits: () => ({ modelCalls: 25 }),
    confirm: async () => true,
    report: () => {},
    ...ports,
    tools: runBy(runTool ?? counted, ports.tools ?? chatTools(async () => tools)),
  });
  return { chat, editor, runs, requests };
}
