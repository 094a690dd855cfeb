/** Implements the Editor port for one Neovim buffer. */
import * as z from "zod";
import {
  type Editor,
  type Snapshot,
  type Splice,
  type StreamTip,
  TextGone,
  type UndoGroup,
} from "../conversation/editor.ts";
import { sha256 } from "../shared/hash.ts";
import { Refusal } from "../shared/refusal.ts";
import { shareTexts } from "../transcript/share-texts.ts";
import type { Edit, Transcript } from "../transcript/transcript.ts";
import { whileHeld } from "./held.ts";
import type { BufferEvents, Lua } from "./lua.ts";
import type { LuaAnswer } from "./lua-calls.ts";
import {
  applyLinesEvent,
  applyLoadedChunk,
  changeBetween,
  createMirror,
  isSame,
  loadChunk,
} from "./mirror.ts";

const chunkAnswer = z.object({ tick: z.number(), total: z.number(), lines: z.array(z.string()) });

// One request for the lines, their number and the tick, so that all three are from the same moment.
const readChunk = `local buf, first, last = ...
return { tick = vim.api.nvim_buf_get_changedtick(buf), total = vim.api.nvim_buf_line_count(buf),
  lines = vim.api.nvim_buf_get_lines(buf, first, last, false) }`;

/**
 * Only the beginning of a line decides whether it reads as structure, and a line of a megabyte must not be sent with
 * every delta. For a prefix of this many characters, Lua compares only those; for a shorter one, all of it.
 */
const prefixLength = 64;
const beginning = (prefix: string) =>
  Array.from(prefix.slice(0, prefixLength * 2))
    .slice(0, prefixLength)
    .join("");

/** An edit with what it replaces, so that an edit computed from another text writes nothing. */
interface CheckedEdit extends Edit {
  /** Number of lines in the text. */
  readonly total: number;
  /** SHA-256 of the replaced lines with the line above and the one below, joined by LF. */
  readonly replaces: string;
}

function checked(lines: readonly string[], edits: readonly Edit[]): CheckedEdit[] {
  return edits.map((edit) => {
    const replaced = lines.slice(Math.max(0, edit.start - 1), edit.end + 1).join("\n");
    return { ...edit, total: lines.length, replaces: sha256(replaced) };
  });
}

const refused = (message = "Neovim refused the change; nothing was written.") =>
  new Refusal(message);

export class BufferEditor implements Editor {
  readonly number: number;
  readonly #lua: Lua;
  readonly #listeners = new Set<(splice: Splice) => void>();
  #mirror = createMirror();
  #loading: Promise<void> | null = null;
  /** The lines before the text had to be read again, to report what changed since; not kept for a reload. */
  #before: readonly string[] | null = null;
  #attached = false;
  #following: ReturnType<Lua["follow"]> | null = null;
  #unfollow = () => {};
  /** Why the file could not be written the last time; reported once. */
  #saveFailure: string | null = null;
  /** Called for changes that are not reported as splices: the buffer was reloaded or is gone. */
  onDetached: () => void = () => {};
  /** Called with the reason why the file could not be written. */
  onSaveFailed: (message: string) => void = () => {};

  constructor(number: number, lua: Lua) {
    this.number = number;
    this.#lua = lua;
  }

  get attached(): boolean {
    return this.#attached;
  }

  /** Stops following the buffer. */
  close(): void {
    this.#unfollow();
  }

  /** Starts to follow the buffer, or starts again. Resolves when all of it has been read. */
  attach(): Promise<void> {
    this.#forget();
    const loading = this.#load().finally(() => {
      // An older reading ends without the text; its callers then wait for the newer one.
      if (this.#loading === loading) this.#loading = null;
    });
    this.#loading = loading;
    // Readers await the same promise and get the error; an attach that no caller awaits must not end the host.
    loading.catch(() => {});
    return loading;
  }

  /** Neovim's text differs from the mirror: all of it is read again before anything else. */
  distrust(): void {
    this.#unfollow();
    this.#attached = false;
    this.#forget();
  }

  /**
   * The user acted on the text of this tick. Every change up to it was reported before that, so a mirror with an older
   * tick missed a change, or a tick without a change: the text is read again.
   */
  expect(tick: number): void {
    if (this.#mirror.complete && this.#mirror.tick < tick) this.distrust();
  }

  #forget(): void {
    if (this.#mirror.complete) this.#before = this.#mirror.lines;
    this.#mirror = createMirror();
  }

  /** Reports the changes made while the text was unknown as one splice. */
  #reportMissed(): void {
    const missed = this.#before && changeBetween(this.#before, this.#mirror.lines);
    this.#before = null;
    if (missed) for (const listener of this.#listeners) listener(missed);
  }

  async #load(): Promise<void> {
    const mirror = this.#mirror;
    await this.#follow();
    while (!mirror.complete && mirror === this.#mirror) {
      const [start, heard] = [mirror.lines.length, mirror.tick];
      const chunk = [this.number, start, start + loadChunk];
      const answer = await this.#ask(() => this.#lua.request("nvim_exec_lua", [readChunk, chunk]));
      applyLoadedChunk(mirror, { start, heard, ...chunkAnswer.parse(answer) });
    }
    if (mirror === this.#mirror) this.#reportMissed();
  }

  /** Follows the buffer only once, however many callers read at the same time: every follower would get each change. */
  async #follow(): Promise<void> {
    if (this.#attached) return;
    this.#following ??= this.#ask(() => this.#lua.follow(this.number, this.events)).finally(() => {
      this.#following = null;
    });
    const unfollow = await this.#following;
    // An unloaded buffer reads as empty, which must never be taken for the text of the chat.
    if (unfollow === null) throw new TextGone();
    this.#unfollow = unfollow;
    this.#attached = true;
  }

  /** Runs a request about this buffer; if the buffer was wiped meanwhile, throws TextGone instead of Neovim's error. */
  async #ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await question();
    } catch (error) {
      const isThere = await this.#lua.request("nvim_buf_is_valid", [this.number]);
      throw isThere === true ? error : new TextGone();
    }
  }

  /** The events that Neovim sends about the buffer. */
  readonly events: BufferEvents = {
    lines: (...change) => this.#change(...change),
    tick: (tick) => {
      this.#mirror.tick = tick;
    },
    detach: () => {
      this.#attached = false;
      this.#forget();
      this.#before = null;
      this.onDetached();
    },
  };

  #change(first: number, last: number, lines: readonly string[], tick: number | null): void {
    if (tick === null) {
      // A preview, for example of `:substitute`, is on screen but not in the text. Read again when it is over.
      this.#forget();
      return;
    }
    const splice = applyLinesEvent(this.#mirror, { first, last, lines });
    this.#mirror.tick = tick;
    if (this.#before !== null && this.#loading === null) this.attach().catch(() => {});
    if (splice) for (const listener of this.#listeners) listener(splice);
  }

  onSplice(listener: (splice: Splice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async read() {
    while (!this.#mirror.complete) await (this.#loading ?? this.attach());
    this.#mirror.isRead = true;
    const { lines, tick } = this.#mirror;
    return { lines, tick };
  }

  /** Keeps the lines, and the texts that were parsed from them, in less memory, with the same content. */
  async share({ exchanges }: Transcript): Promise<void> {
    await shareTexts(() => this.#mirror.lines, exchanges);
  }

  async apply(from: Snapshot, edits: readonly Edit[], undo: UndoGroup) {
    const answer = await this.#sendChecked(from, edits, (sent) =>
      whileHeld(() =>
        this.#lua.call("apply", { buf: this.number, tick: from.tick, edits: sent, group: undo }),
      ),
    );
    if (answer === null || answer.status === "differs") return "stale";
    if (answer.status === "failed") throw refused(answer.message);
    return answer.status;
  }

  /** Sends edits with what they replace. Null when they are for another text; adopts a tick that has moved on. */
  async #sendChecked<
    Answer extends { readonly status: string; readonly tick?: number | undefined },
  >(
    from: Snapshot,
    edits: readonly Edit[],
    send: (sent: readonly (Edit | CheckedEdit)[]) => Promise<Answer>,
  ): Promise<Answer | null> {
    if (!this.#has(from)) return null;
    let answer = await send(checked(from.lines, edits));
    if (answer.status === "differs") {
      if (!(await this.#isStill(from))) return null;
      answer = await send(edits);
    }
    if (answer.status === "stale") this.#adoptTick(answer.tick);
    return answer;
  }

  /**
   * Whether the mirror still has the text of the snapshot. The tick alone is not enough: a text that turned out to be
   * wrong was read again, with other lines at the same tick.
   */
  #has({ lines, tick }: Snapshot): boolean {
    if (!this.#mirror.complete || this.#mirror.tick !== tick) return false;
    return this.#mirror.lines === lines || isSame(this.#mirror.lines, lines);
  }

  /**
   * Neovim's text is not what the edits would replace, so all of it is read again. If the lines are the same, they only
   * differ in their bytes (invalid UTF-8), and the edits are right.
   */
  async #isStill({ lines, tick }: Snapshot): Promise<boolean> {
    this.#forget();
    const now = await this.read();
    return now.tick === tick && isSame(now.lines, lines);
  }

  /**
   * Some changes of the tick (a write of the file) come without an event. Every event sent before an answer has been
   * handled when the answer arrives, so the mirror has the text at the answer's tick.
   */
  #adoptTick(tick: number | undefined): void {
    if (tick !== undefined && tick > this.#mirror.tick) this.#mirror.tick = tick;
  }

  async openTip(
    from: Snapshot,
    { edits, tip }: Parameters<Editor["openTip"]>[1],
    undo: UndoGroup,
    saves = false,
  ): ReturnType<Editor["openTip"]> {
    const { line, answerLine } = tip;
    const answer = await this.#sendChecked(from, edits, async (sent) => {
      const { tick } = from;
      const how = { line, answer_line: answerLine, group: undo, edits: sent, saves };
      const opened = await whileHeld(() =>
        this.#lua.call("tip_open", { buf: this.number, tick, ...how }),
      );
      if (opened.saved) this.#heardSave(opened.saved);
      return opened;
    });
    if (answer === null || answer.status === "stale") return "stale";
    const saved = answer.saved?.status ?? "saved";
    if (saved !== "saved") return { unsaved: saved };
    if (answer.status === "failed") throw refused(answer.message);
    if (answer.status !== "opened" || answer.id === undefined) return "gone";
    return this.#tip(answer.id, undo);
  }

  #tip(id: number, undo: UndoGroup): StreamTip {
    const lua = this.#lua;
    const buf = this.number;
    let prefix = "";
    return {
      async write(render) {
        for (;;) {
          const text = render(prefix);
          if (text === "") return "written";
          const write = { buf, id, expected: prefix, text, group: undo };
          const answer = await whileHeld(() => lua.call("tip_write", write));
          if (answer.status === "gone") return "gone";
          if (answer.status === "written") {
            const lineStart = text.lastIndexOf("\n") + 1;
            prefix = beginning(lineStart > 0 ? text.slice(lineStart) : prefix + text);
            return "written";
          }
          prefix = beginning(answer.prefix ?? "");
        }
      },
      async line() {
        return (await lua.call("tip_line", { buf, id })) ?? null;
      },
      async mark() {
        return (await lua.call("tip_mark", { buf, id, group: undo, restore: false })) ?? null;
      },
      async restoreMark() {
        return (await lua.call("tip_mark", { buf, id, group: undo, restore: true })) ?? null;
      },
      async close() {
        await lua.call("tip_close", { buf, id });
      },
    };
  }

  async save(quick = false) {
    const answer = await this.#lua.call("save", { buf: this.number, quick });
    this.#heardSave(answer);
    return answer.status;
  }

  #heardSave({ status, tick, message }: LuaAnswer<"save">): void {
    if (status === "saved") this.#adoptTick(tick);
    const failure =
      status === "failed"
        ? (message ?? "The file could not be written; the buffer has all of the text.")
        : null;
    if (failure !== null && failure !== this.#saveFailure) this.onSaveFailed(failure);
    this.#saveFailure = failure;
  }

  /** Whether the last attempt to write the file failed. */
  get isUnsaved(): boolean {
    return this.#saveFailure !== null;
  }
}
