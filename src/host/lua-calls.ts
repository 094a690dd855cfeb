/**
 * The only way from the host to Neovim: functions of `lua/parley/rpc.lua`, called by request, never by notification.
 * The table defines the parameters and the answer of each function. The Lua classes are generated from it (`npm run
 * docs`), and answers are checked against it.
 */
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

/** Lua checks `total`, the text's number of lines, and `replaces`, the hash of the lines in and around the edit. */
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
    /** The exact text of the line; a key that decides the call sends it back. */
    text,
    /** The tool that was shown, by `toolIdentity`; a key sends it back, too. Empty: none was known. */
    tool: text,
    /** The hash of the plan that was shown; a key sends it back. Empty: there was none. */
    effect: text,
    /** The tools are not known yet, so the call cannot be approved. */
    pending: z.boolean(),
    /** The call in one line; `whole`: it shows everything that matters for the decision. */
    row: text,
    whole: z.boolean(),
    /** Lines below the row, for one that is not whole or too wide for its window. */
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
        /** Ever shorter versions, for windows without room for the longer ones. */
        shorter: lines.exactOptional(),
        line: line.exactOptional(),
        /** Milliseconds until the request is sent again; Lua counts them down. */
        wait_ms: z.number().exactOptional(),
        /** Milliseconds since it began; Lua counts on. */
        elapsed_ms: z.number().exactOptional(),
        /** The key that stops it, shown after the seconds. */
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
        /** Milliseconds since it started; Lua counts on. */
        elapsed_ms: z.number(),
        /** The key that stops it, shown after the seconds. */
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
    /** Tokens: of the last request with its answer, and of its model's context window. */
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
    /** The line to start at, with the cursor at its end. */
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
    /** Typed text is not shown; for `input`. */
    secret: z.boolean().exactOptional(),
    /** The user did not just ask for it, so it waits until they stop typing. */
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
    /** The number of matches, sent or not. */
    found: integer,
    all: integer,
    /** Files are still being read, so another answer follows. */
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
    /** The server of `resources`. */
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

/** The outcome of a change of the text, and the tick after it. */
const outcome = <Status extends readonly [string, ...string[]]>(...status: Status) =>
  z.object({
    status: z.enum(status),
    tick: tick.optional(),
    message: text.optional(),
  });

const saved = outcome("saved", "reloaded", "conflict", "unnamed", "failed");

/** By name; parameters are in the order in which Lua takes them. */
export const luaCalls = {
  /**
   * `held`: the edit would move or change a row that Neovim keeps while the user is in the middle of something, such as a
   * completion, an operator or `:s///c`; nothing was done, and it can be tried again.
   */
  apply: row(
    { buf, tick, edits: list(edit), group },
    outcome("applied", "held", "stale", "differs", "gone", "failed"),
  ),
  tip_open: row(
    /** `saves`: saves the text of this tick first, like `save` with `quick`; on `unsaved`, nothing else was done. */
    { buf, tick, line, answer_line: line, group, edits: list(edit), saves: z.boolean() },
    outcome("opened", "held", "stale", "differs", "gone", "failed", "unsaved").extend({
      id: integer.optional(),
      saved: saved.optional(),
    }),
  ),
  /** `expected`: the text that the writer expects before the tip; where it differs, `prefix` returns the actual one. */
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
  /** Another process may have written the file: a buffer without changes of its own is read again. */
  reread: row({ buf }, outcome("reloaded", "same", "modified")),
  show: row(
    { buf, tick, view },
    z.object({ status: z.enum(["shown", "stale", "gone"]), tick: z.number().optional() }),
  ),
  follow: row({ buf, line }, nothing),
  /** Says why a key did nothing. */
  refuse: row({ buf, line, message: text }, nothing),
  ask: row({ id: integer, question }, nothing),
  form_mistakes: row({ id: integer, mistakes: list(z.object({ line, text })) }, nothing),
  withdraw: row({ id: integer }, nothing),
  open_address: row(
    { address: text },
    z.object({ status: z.enum(["opened", "failed"]), message: text.optional() }),
  ),
  notify: row({ level: z.enum(["info", "warn", "error"]), message: text }, nothing),
  /** A message about a chat, which may be in no window. */
  tell: row({ buf, level: z.enum(["info", "warn", "error"]), message: text }, nothing),
  event: row({ name: text, data: z.record(text, z.unknown()) }, nothing),
  /** `what`: the path of a file, or lines. `files`: for each line, the path that `<CR>` opens, or empty. */
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
  /** Opens the rows as a list of places in the buffer, and shows the one at the cursor first. */
  outline: row({ buf, rows: list(outlineRow) }, nothing),
  changes: row({ places: list(changedPlace) }, nothing),
  completions: row({ completions }, nothing),
  chats: row({ answer: chatsAnswer }, nothing),
  /**
   * A chat is at its new path; its old file still exists. The editor goes on with the new one. `has_all`: whether the
   * editor has all that the old file had, which it has removed then. `is_newer`: whether it wrote a text to the new file
   * that changed after `tick`.
   */
  chat_moved: row(
    { from: text, to: text, tick: z.number().nullable(), is_deleted: z.boolean() },
    z.object({ has_all: z.boolean(), is_newer: z.boolean() }),
  ),
  /** A file of a chat that was not open here was written; it may have been opened in that moment. */
  chat_rewritten: row({ path: text }, nothing),
  /** The list of chats may be out of date. */
  chats_changed: row({}, nothing),
  /** Null: no chat has a waiting call. */
  chat_next: row({ path: text.nullable() }, nothing),
  float: row({ lines, title: text }, nothing),
  tools_board: row({ buf, lines, ids: lines }, nothing),
  health_report: row({ id: integer, report: z.object({ lines: list(healthLine) }) }, nothing),
  /** Null: no buffer has the file. */
  workspace_read: row({ path: text }, z.object({ text, modified: z.boolean() }).nullable()),
  /** The text as written, or why it was not written. */
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
  /** Paths of the open files. */
  workspace_open: row({}, z.array(text)),
  workspace_quickfix: row({}, z.array(z.object({ path: text.optional(), line: z.number(), text }))),
  /** config.json was written and is not broken: the Lua half reads it again, and says which keys there are now. */
  configured: row({}, z.object({ keys: z.record(text, lines) })),
  ready: row({ channel: integer }, nothing),
};

export type LuaCalls = typeof luaCalls;

/** The answer of a call. */
export type LuaAnswer<Name extends keyof LuaCalls> = z.output<LuaCalls[Name]["answer"]>;
