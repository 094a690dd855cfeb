/** The Editor port over one Neovim buffer. */
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
import type { BufferEvents, Lua, LuaAnswer } from "./lua.ts";
import {
  applyLinesEvent,
  applyLoadedChunk,
  changeBetween,
  createMirror,
  isSame,
  loadChunk,
} from "./mirror.ts";

const chunkAnswer = z.object({ tick: z.number(), total: z.number(), lines: z.array(z.string()) });

// One request for lines, their number and the tick, so that all three are of the same moment.
const readChunk = `local buf, first, last = ...
return { tick = vim.api.nvim_buf_get_changedtick(buf), total = vim.api.nvim_buf_line_count(buf),
  lines = vim.api.nvim_buf_get_lines(buf, first, last, false) }`;

/**
 * Only the beginning of a line decides whether it reads as structure, and a line of a megabyte must not
 * travel with every delta: Lua compares this many characters when the prefix is that long, else all of it.
 */
const prefixLength = 64;
const beginning = (prefix: string) =>
  Array.from(prefix.slice(0, prefixLength * 2))
    .slice(0, prefixLength)
    .join("");

/** An edit with what it replaces, so that one that was computed from another text writes nothing. */
interface CheckedEdit extends Edit {
  /** Number of lines that the text had. */
  readonly total: number;
  /** SHA-256 of the lines that are replaced and of the one above and below them, joined by LF. */
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
  /** The lines before the text had to be read again: what changed since is told then, but for a reload. */
  #before: readonly string[] | null = null;
  #attached = false;
  #following: ReturnType<Lua["follow"]> | null = null;
  #unfollow = () => {};
  /** Why the file could not be written last; said once. */
  #saveFailure: string | null = null;
  /** Told of every change that is not reported as a splice: the buffer was reloaded or is gone. */
  onDetached: () => void = () => {};
  /** Told why the file could not be written. */
  onSaveFailed: (message: string) => void = () => {};

  constructor(number: number, lua: Lua) {
    this.number = number;
    this.#lua = lua;
  }

  get attached(): boolean {
    return this.#attached;
  }

  /** Nobody reads it any more. */
  close(): void {
    this.#unfollow();
  }

  /** Starts (again) to follow the buffer. Resolves when all of it has been read. */
  attach(): Promise<void> {
    this.#forget();
    const loading = this.#load().finally(() => {
      // An older reading ends without the text; who waits for it goes on to wait for the newer one.
      if (this.#loading === loading) this.#loading = null;
    });
    this.#loading = loading;
    // Whoever reads awaits the same promise and gets the reason; an attach nobody waits for must not end the host.
    loading.catch(() => {});
    return loading;
  }

  /** Neovim has another text than was thought: all of it is read again before anything else. */
  distrust(): void {
    this.#unfollow();
    this.#attached = false;
    this.#forget();
  }

  /**
   * A person acted on the text of this tick. Every change up to there was told before the act was, so whoever knows
   * only an older text has missed one, or a tick that came without a change: it is read again.
   */
  expect(tick: number): void {
    if (this.#mirror.complete && this.#mirror.tick < tick) this.distrust();
  }

  #forget(): void {
    if (this.#mirror.complete) this.#before = this.#mirror.lines;
    this.#mirror = createMirror();
  }

  /** Tells as one change what came while the text was not known. */
  #tellMissed(): void {
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
    if (mirror === this.#mirror) this.#tellMissed();
  }

  /** Once, however many read at the same time: each change is told to each follower. */
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

  /** Asks about this buffer; one that was wiped meanwhile is gone, whatever Neovim says about it. */
  async #ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await question();
    } catch (error) {
      const isThere = await this.#lua.request("nvim_buf_is_valid", [this.number]);
      throw isThere === true ? error : new TextGone();
    }
  }

  /** What Neovim tells of the buffer. */
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
      // While a preview of `:substitute` and the like is on screen: shown, not meant. Read again when it is over.
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

  /** Keeps the lines, and the texts that were parsed from them, in less memory; they are the same as before. */
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

  /** Sends edits with what they replace. Null when they are of another text; a tick that moved is taken over. */
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
   * Whether nothing was heard since that text was read. A tick alone does not say so: a text that turned out to be
   * wrong was read again, and has another one's lines at the same tick.
   */
  #has({ lines, tick }: Snapshot): boolean {
    if (!this.#mirror.complete || this.#mirror.tick !== tick) return false;
    return this.#mirror.lines === lines || isSame(this.#mirror.lines, lines);
  }

  /**
   * What Neovim has is not what the edits would replace: all of it is read again. The same lines once more are
   * only written otherwise there, as bytes that are no UTF-8 are, and the edits are right.
   */
  async #isStill({ lines, tick }: Snapshot): Promise<boolean> {
    this.#forget();
    const now = await this.read();
    return now.tick === tick && isSame(now.lines, lines);
  }

  /**
   * Some changes of the tick (a write of the file) come without an event. Every event sent before an answer
   * has been handled when the answer is, so the text here is the text at the answer's tick.
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

  /** Whether the file could not be written when that was tried last. */
  get isUnsaved(): boolean {
    return this.#saveFailure !== null;
  }
}
