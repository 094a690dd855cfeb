/**
 * The one way the host speaks to Neovim: functions of `lua/parley/rpc.lua`, called by request, never by notification.
 * The table says what each takes and answers; the classes of Lua are made from it (`npm run docs`), and what comes
 * back is checked against it.
 */
import type { NeovimClient } from "neovim";
import * as z from "zod";

const integer = z.int();
const text = z.string();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const lines = list(text);
const buf = integer;
/** Zero-based. */
const line = integer;
/** `b:changedtick`. */
const tick = z.number();
/** Changes of one group are one undo step. */
const group = text;
const nothing = z.unknown();

/** `total` and `replaces` are checked: the text's number of lines, and the hash of those around and in the edit. */
const edit = z
  .object({
    start: integer,
    end: integer,
    lines,
    total: integer.exactOptional(),
    replaces: text.exactOptional(),
  })
  .meta({ id: "parley.Edit" });

const shownCall = z
  .object({
    line,
    /** The exact text of the line; a key that decides it sends it back. */
    text,
    /** Which tool was shown with it, by `toolIdentity`; a key sends it back too. Empty: none was known. */
    tool: text,
    /** The hash of the plan that was shown with it; a key sends it back. Empty: none was. */
    effect: text,
    /** The tools are not known yet, so no yes is possible. */
    pending: z.boolean(),
    /** The call in one line; `whole`: it shows all that there is to see before a decision. */
    row: text,
    whole: z.boolean(),
    /** For below it, where it is not whole or not wide enough for its window. */
    lines,
    cut: z.boolean(),
    full: lines,
  })
  .meta({ id: "parley.ShownCall" });
export type ShownCall = Readonly<z.infer<typeof shownCall>>;

const view = z
  .object({
    status: z
      .object({
        kind: z.enum(["progress", "waiting", "error", "info"]),
        text,
        /** The same in fewer words, ever shorter: where a window has no room for the ones before. */
        shorter: lines.exactOptional(),
        line: line.exactOptional(),
        /** Until the request goes out again, in milliseconds; Lua counts it down. */
        wait_ms: z.number().exactOptional(),
        /** How long that has been going on; Lua counts on. */
        elapsed_ms: z.number().exactOptional(),
        /** Which key ends it; stands behind the seconds. */
        stop: text.exactOptional(),
      })
      .nullable(),
    /** Calls that wait for a key. */
    calls: list(shownCall),
    /** Calls that run. */
    running: list(
      z.object({
        line,
        text,
        /** For how long; Lua counts on. */
        elapsed_ms: z.number(),
        /** Which key ends it; stands behind the seconds. */
        stop: text,
      }),
    ),
    unfinished_line: line.nullable(),
    diagnostics: list(
      z.object({
        line,
        /** Byte column. */
        col: integer,
        level: z.enum(["error", "warning", "info"]),
        code: text,
        message: text,
      }),
    ),
    usage: z.object({ text, line: line.exactOptional() }).nullable(),
    /** Tokens: what the last request took with its answer, and the context window of its model. */
    context: z.object({ used: integer, window: integer }).nullable(),
    statusline: text,
    keys: z.boolean(),
  })
  .meta({ id: "parley.View" });
export type View = Readonly<z.infer<typeof view>>;

const page = z
  .object({
    title: text,
    lines,
    /** The line to begin at, behind its end. */
    cursor: line,
    completions: z.record(text, lines),
  })
  .meta({ id: "parley.Page" });

const question = z
  .object({
    kind: z.enum(["select", "input", "confirm", "form"]),
    /** One line. */
    prompt: text,
    /** Lines to read before choosing; for `select` and `confirm`. */
    details: lines.exactOptional(),
    items: list(
      z.union([text, z.object({ label: text, value: z.union([text, z.number()]) })]),
    ).exactOptional(),
    /** The text to fill in; for `form`. */
    page: page.exactOptional(),
    default: text.exactOptional(),
    /** What is typed is not shown; for `input`. */
    secret: z.boolean().exactOptional(),
    /** The person did not bring it about just now: it waits until they type nothing. */
    patient: z.boolean().exactOptional(),
  })
  .meta({ id: "parley.Question" });
export type QuestionOptions = Readonly<z.infer<typeof question>>;

const chatRow = z
  .object({ path: text, sign: text, topic: text, model: text, age: text, tags: text, cost: text })
  .meta({ id: "parley.ChatRow" });

const chatsAnswer = z
  .object({
    id: integer,
    rows: list(chatRow),
    /** Those that fit, sent or not. */
    found: integer,
    all: integer,
    /** Files are still being read: there will be another answer. */
    reading: z.boolean(),
  })
  .meta({ id: "parley.ChatsAnswer" });

const outlineRow = z.object({ line, text }).meta({ id: "parley.OutlineRow" });

const changedPlace = z.object({ path: text, line, text }).meta({ id: "parley.ChangedPlace" });

const healthLine = z
  .object({
    level: z.enum(["ok", "info", "warn", "error"]),
    text,
    /** What to do about it. */
    fix: text.exactOptional(),
  })
  .meta({ id: "parley.HealthLine" });
/** A line of `:checkhealth parley`. */
export type HealthLine = Readonly<z.infer<typeof healthLine>>;

const completions = z
  .object({
    servers: lines.exactOptional(),
    prompts: lines.exactOptional(),
    models: lines.exactOptional(),
    tools: lines.exactOptional(),
    /** Whose `resources` they are. */
    server: text.exactOptional(),
    resources: list(z.object({ word: text, about: text })).exactOptional(),
  })
  .meta({ id: "parley.Completions" });

function row<Parameters extends z.ZodRawShape, Answer extends z.ZodType>(
  parameters: Parameters,
  answer: Answer,
) {
  return { parameters: z.object(parameters), answer };
}

/** A change of the text: what came of it, and the tick after it. */
const outcome = <Status extends readonly [string, ...string[]]>(...status: Status) =>
  z.object({
    status: z.enum(status),
    tick: tick.optional(),
    message: text.optional(),
  });

const saved = outcome("saved", "reloaded", "conflict", "unnamed", "failed");

/** By name; parameters in the order in which Lua takes them. */
export const luaCalls = {
  /** `held`: it would move or change a row that Neovim keeps while the person types or answers `:s///c`; nothing was done, and it can be tried again. */
  apply: row(
    { buf, tick, edits: list(edit), group },
    outcome("applied", "held", "stale", "differs", "gone", "failed"),
  ),
  tip_open: row(
    /** `saves`: the text of this tick is saved first, as `save` with `quick`; `unsaved`: nothing else was done. */
    { buf, tick, line, answer_line: line, group, edits: list(edit), saves: z.boolean() },
    outcome("opened", "held", "stale", "differs", "gone", "failed", "unsaved").extend({
      id: integer.optional(),
      saved: saved.optional(),
    }),
  ),
  /** `expected`: what the writer takes to stand before the tip; where it is something else, `prefix` says what. */
  tip_write: row(
    { buf, id: integer, expected: text, text, group },
    z.object({
      status: z.enum(["written", "moved", "held", "gone"]),
      prefix: text.optional(),
      line: line.optional(),
      tick: tick.optional(),
    }),
  ),
  tip_line: row({ buf, id: integer }, line.nullish()),
  tip_mark: row({ buf, id: integer, group, restore: z.boolean() }, line.nullish()),
  tip_close: row({ buf, id: integer }, nothing),
  save: row({ buf, quick: z.boolean() }, saved),
  /** Another process may have written the file: a buffer with nothing of its own is read again. */
  reread: row({ buf }, outcome("reloaded", "same", "modified")),
  show: row(
    { buf, tick, view },
    z.object({ status: z.enum(["shown", "stale", "gone"]), tick: z.number().optional() }),
  ),
  follow: row({ buf, line }, nothing),
  /** Why a key did nothing. */
  refuse: row({ buf, line, message: text }, nothing),
  ask: row({ id: integer, question }, nothing),
  form_mistakes: row({ id: integer, mistakes: list(z.object({ line, text })) }, nothing),
  withdraw: row({ id: integer }, nothing),
  open_address: row(
    { address: text },
    z.object({ status: z.enum(["opened", "failed"]), message: text.optional() }),
  ),
  notify: row({ level: z.enum(["info", "warn", "error"]), message: text }, nothing),
  /** About a chat, which may be in no window. */
  tell: row({ buf, level: z.enum(["info", "warn", "error"]), message: text }, nothing),
  event: row({ name: text, data: z.record(text, z.unknown()) }, nothing),
  /** `what`: the path of a file, or lines. `files`: the path that `<CR>` opens on each of them, empty for none. */
  open: row(
    {
      what: z.union([text, lines]),
      options: z.object({
        title: text,
        filetype: text.exactOptional(),
        files: z.array(text).exactOptional(),
      }),
    },
    nothing,
  ),
  /** Opens the list of places in the buffer, the one at the cursor first in view. */
  outline: row({ buf, rows: list(outlineRow) }, nothing),
  changes: row({ places: list(changedPlace) }, nothing),
  completions: row({ completions }, nothing),
  chats: row({ answer: chatsAnswer }, nothing),
  chat_moved: row({ from: text, to: text, is_deleted: z.boolean() }, nothing),
  /** What a list of them shows may be another. */
  chats_changed: row({}, nothing),
  /** Null: no call waits in a chat. */
  chat_next: row({ path: text.nullable() }, nothing),
  float: row({ lines, title: text }, nothing),
  tools_board: row({ buf, lines, ids: lines }, nothing),
  health_report: row({ id: integer, report: z.object({ lines: list(healthLine) }) }, nothing),
  /** Null: no buffer has it. */
  workspace_read: row({ path: text }, z.object({ text, modified: z.boolean() }).nullable()),
  /** The text as it is written, or why it is not. */
  workspace_write: row(
    { path: text, expected: text.nullable(), text },
    z.object({ text: text.optional(), message: text.optional() }),
  ),
  workspace_diagnostics: row(
    { path: text.nullable() },
    z.array(
      z.object({
        path: text,
        line: z.number(),
        column: z.number(),
        severity: z.enum(["error", "warning", "info", "hint"]),
        message: text,
        source: text,
      }),
    ),
  ),
  /** Paths of the files that are open. */
  workspace_open: row({}, z.array(text)),
  workspace_quickfix: row({}, z.array(z.object({ path: text.optional(), line: z.number(), text }))),
  ready: row({ channel: integer }, nothing),
};

type LuaCalls = typeof luaCalls;

/** What a call answers. */
export type LuaAnswer<Name extends keyof LuaCalls> = z.output<LuaCalls[Name]["answer"]>;

export interface Lua {
  /** Calls a Lua function by name; rejects with Neovim's own message when it throws or the channel is closed. */
  call<Name extends keyof LuaCalls>(
    name: Name,
    parameters: Readonly<z.input<LuaCalls[Name]["parameters"]>>,
  ): Promise<LuaAnswer<Name>>;
  request(method: string, parameters: readonly unknown[]): Promise<unknown>;
  /** Tells all changes of a buffer from here on; gives back what ends that, or null where there is no text to follow. */
  follow(buffer: number, events: BufferEvents): Promise<(() => void) | null>;
}

/** What Neovim tells of a buffer that is followed. */
export interface BufferEvents {
  /** Lines from `first` up to `last` were replaced; `tick` is null for what is shown and not meant. */
  lines(first: number, last: number, lines: readonly string[], tick: number | null): void;
  /** Only the tick moved. */
  tick(tick: number): void;
  /** The buffer was reloaded or is gone. */
  detach(): void;
}

/**
 * Handles one message of Neovim after the other: all that follows from one, up to the next wait for the world outside,
 * is done before the next is looked at. The package hands on the messages of one read in between the steps of each
 * other's promises, so a text that was just read and what moved with it would be of two moments.
 */
export function inTurn(handle: () => void): void {
  setImmediate(handle);
}

export function createLua(nvim: NeovimClient): Lua {
  const request = (method: string, parameters: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      nvim.request(method, [...parameters]).then(
        (answer) => inTurn(() => resolve(answer)),
        (error: unknown) => inTurn(() => reject(error)),
      );
    });
  return {
    request,
    async follow(number, { lines: changed, tick: moved, detach }) {
      const buffer = (await nvim.buffers).find(({ id }) => id === number);
      if (buffer === undefined) return null;
      let isFollowing = false;
      let wasDetached = false;
      const whenFollowing = (handle: () => void) => inTurn(() => isFollowing && handle());
      // As the package hands them on: the buffer first.
      const listeners = {
        lines: (_: unknown, at: number | null, first: number, last: number, now: string[]) =>
          whenFollowing(() => changed(first, last, now, at)),
        changedtick: (_: unknown, at: number) => whenFollowing(() => moved(at)),
        detach: () =>
          inTurn(() => {
            wasDetached = true;
            if (isFollowing) detach();
            isFollowing = false;
          }),
      };
      const entries = Object.entries(listeners);
      const unfollow = () => {
        isFollowing = false;
        for (const [name, listener] of entries) nvim.detachBuffer(buffer, name, listener);
      };
      // An end of following that was told meanwhile, of a buffer that was reloaded, took all listeners of the buffer with
      // it, these too: Neovim would tell every change, and nobody would hear it.
      do {
        wasDetached = false;
        for (const [name, listener] of entries) nvim.attachBuffer(buffer, name, listener);
        isFollowing = (await request("nvim_buf_attach", [number, false, {}])) === true;
      } while (isFollowing && wasDetached);
      if (isFollowing) return unfollow;
      unfollow();
      return null;
    },
    async call(name, parameters) {
      const { parameters: taken, answer } = luaCalls[name];
      const values = new Map<string, unknown>(Object.entries(parameters));
      const ordered = Object.keys(taken.shape).map((parameter) => values.get(parameter) ?? null);
      const answered = await request("nvim_exec_lua", [
        "return require('parley.rpc').call(...)",
        [name, ...ordered],
      ]);
      return answer.parse(answered) as LuaAnswer<typeof name>;
    },
  };
}
