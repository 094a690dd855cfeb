/** One chat in one buffer: turns keys into actions, and shows their outcomes. */
import type { ChatOrigin } from "../../app/open-chat/chat-origin.ts";
import { openChat, preload, recallContext } from "../../app/open-chat/chat-ports.ts";
import type { RequestSources } from "../../app/open-chat/prepare.ts";
import { anchoredExchange } from "../../conversation/decide/session.ts";
import { TextGone } from "../../conversation/editor.ts";
import { pressFor, withRespondAction } from "../../conversation/keys.ts";
import { pressCallKey, respond, retry, stopCall } from "../../conversation/turn/actions.ts";
import { Chat, type ChatEvent, type Phase, type TurnEnd } from "../../conversation/turn/chat.ts";
import { saveText } from "../../conversation/turn/save-before.ts";
import { waitingText } from "../../conversation/waiting-text.ts";
import { isYes } from "../../transcript/decisions.ts";
import { askRules } from "../asking/ask-rules.ts";
import { askAboutOrigin, confirmation } from "../asking/questions.ts";
import { BufferEditor } from "../buffer.ts";
import type { OpenHost } from "../context.ts";
import { collectYoung } from "../idle-memory.ts";
import { logged } from "../log.ts";
import { type AwaitedServers, createAwaitedServers, type KeyOnCalls } from "./await-servers.ts";
import { Drawing } from "./drawing.ts";
import { createInOrder, type InOrder } from "./in-order.ts";
import { createOtherDriver, type OtherDriver } from "./other-driver.ts";
import { endData, quietEnd, withFile, withKey } from "./turn-end.ts";
import { usageData } from "./view.ts";
import { createWorkAhead, type WorkAhead } from "./work-ahead.ts";

/** A streaming answer after one of these phases is not a new one. */
const underWay: ReadonlySet<Phase["type"]> = new Set(["retrying", "streaming"]);

/** A key on calls, with the calls as they were on screen. */
type PressedKey = KeyOnCalls & { readonly reason?: string | undefined };

export class HostChat {
  readonly editor: BufferEditor;
  readonly chat: Chat;
  /** What the chat's requests are made from at this moment. */
  readonly sources: () => RequestSources;
  readonly origin: ChatOrigin;
  readonly host: OpenHost;
  readonly servers: AwaitedServers;
  /** The actions that the user asks for, in order. */
  readonly commands: InOrder;
  readonly ahead: WorkAhead;
  readonly #other: OtherDriver;
  readonly #drawing: Drawing;
  path: string;
  #lastEnd: TurnEnd | null = null;
  #lastPhase: Phase["type"] = "idle";
  #isClosed = false;

  constructor(host: OpenHost, buffer: number, path: string) {
    this.path = path;
    this.editor = new BufferEditor(buffer, host.lua);
    this.commands = createInOrder(this.editor);
    const ask: OpenHost["ask"] = (question, signal) => {
      this.commands.letGo();
      return host.ask(question, signal);
    };
    this.host = { ...host, ask };
    this.editor.onDetached = () => this.#reread().catch(logged("reread"));
    this.editor.onSaveFailed = (message) => this.#notify("error", message);
    const { ports, sources, origin, agreeToServers } = openChat(host.app, {
      editor: this.editor,
      path: () => this.path || null,
      confirm: async (prompt) => (await ask(confirmation(prompt))) === true,
      agree: (question) => askAboutOrigin(ask, question),
      report: (event) => this.#report(event),
      loaded: () => this.#loaded(),
      isRead: (transcript) => this.chat.rememberAnswered(transcript),
    });
    this.sources = sources;
    this.origin = origin;
    this.chat = new Chat(ports);
    this.ahead = createWorkAhead(host, this.chat);
    const draw = () => this.#drawing.schedule(0);
    this.#other = createOtherDriver(host, buffer, draw);
    this.servers = createAwaitedServers({ chat: this.chat, agree: agreeToServers, draw });
    this.#drawing = new Drawing(this, {
      lastEnd: () => this.#lastEnd,
      otherDriver: () => this.#other.pid(),
    });
  }

  async attach(): Promise<void> {
    await this.reattach(this.path);
    preload(this.host.app, (await this.chat.read()).transcript).then(collectYoung, logged("warm"));
    const recalled = recallContext(this.host.app, this.chat, this.path);
    recalled.then(() => this.#drawing.schedule(0), logged("usage"));
  }

  async reattach(path: string): Promise<void> {
    this.path = path;
    this.#other.follow(path);
    this.#drawing.forget();
    if (!this.editor.attached) await this.editor.attach();
    this.#lastEnd = withFile(this.#lastEnd);
    await this.#loaded();
    await this.refresh();
    const read = this.chat.read();
    read.then(({ transcript }) => this.editor.share(transcript)).catch(logged("share"));
  }

  /**
   * Neovim has read the file again. Where the text stays loaded (`:checktime`, a checkout), the message to attach
   * arrives before this event, so the origin was then checked for the old text.
   */
  async #reread(): Promise<void> {
    this.origin.reread();
    this.#drawing.forget();
    try {
      await this.#loaded();
    } catch (error) {
      // The buffer was closed instead of read again.
      if (error instanceof TextGone) return;
      throw error;
    }
    await this.refresh();
  }

  /** Shows the current state of the text; sends nothing when nothing changed. */
  refresh(): Promise<void> {
    return this.#drawing.refresh();
  }

  /** The text was read from its file: checks once where it came from, before anything else is learned from it. */
  async #loaded(): Promise<void> {
    await this.origin.loaded((await this.chat.read()).transcript);
  }

  /** The file contains the current text. */
  async saved(): Promise<void> {
    if (this.editor.isUnsaved) return;
    this.#lastEnd = withFile(this.#lastEnd);
    const { transcript } = await this.chat.read();
    await this.origin.written(transcript);
  }

  async respond(line: number, stopped: AbortSignal): Promise<void> {
    await this.host.lookAtConfiguration();
    const at = await askRules(this.chat, this.host, line);
    await this.#finish(await respond(this.chat, at, { stopped }));
  }

  /** Answers the question at this line again, which the user has already approved. */
  async again(line: number, stopped: AbortSignal): Promise<TurnEnd> {
    await this.host.lookAtConfiguration();
    const end = await respond(this.chat, line, { isAgreed: true, stopped });
    await this.#finish(end);
    return end;
  }

  async retry(line: number, stopped: AbortSignal): Promise<void> {
    await this.host.lookAtConfiguration();
    await this.#finish(await retry(this.chat, line, stopped));
  }

  async press(message: PressedKey, stopped: AbortSignal): Promise<void> {
    await this.host.lookAtConfiguration();
    const unready = await this.servers.forKey(message, stopped);
    const end: TurnEnd | null =
      unready === null
        ? await this.#pressed(message, stopped)
        : { type: "refused", message: unready };
    if (end?.type === "refused") {
      await this.host.lua.call("refuse", {
        buf: this.editor.number,
        line: message.line,
        message: withRespondAction(end.message, `press ${this.#respondKey()}`),
      });
      await this.refresh();
      return;
    }
    if (end === null) await this.refresh();
    else await this.#finish(end);
  }

  #respondKey(): string {
    return pressFor(this.host.ownKeys(), "respond");
  }

  #notify(level: "info" | "warn" | "error", message: string): void {
    this.host.notify(level, message, this.editor.number);
  }

  async #pressed(message: PressedKey, stopped: AbortSignal): Promise<TurnEnd | null> {
    const { key, line: cursorLine, shown } = message;
    const reason = message.reason?.trim() || null;
    const keyPress = { key, cursorLine, shown, reason, keys: this.host.ownKeys() };
    return pressCallKey(this.chat, keyPress, { isListed: isYes(key), stopped }); // see forKey
  }

  stop(): void {
    const stops = [this.commands.stop(), this.servers.stop(), this.chat.stop()];
    if (!stops.includes(true)) this.#notify("info", "Nothing is running in this chat.");
  }

  stopCall(line: number): void {
    if (!stopCall(this.chat, line)) this.#notify("info", "No call is running on this line.");
  }

  /** Stops what is under way. How it ends is still written and told. */
  close(): void {
    this.#drawing.close();
    this.#other.close();
    this.#isClosed = true;
    this.commands.stop();
    if (this.chat.active === null) this.#letGo();
    else this.chat.stop();
  }

  #letGo(): void {
    this.editor.close();
    this.chat.close();
  }

  async #finish(ended: TurnEnd): Promise<void> {
    const end = withKey(ended, this.#respondKey());
    try {
      await this.#showEnd(end);
      await this.#event("ParleyEnd", { ...endData(end), ...usageData(this.chat.usage) });
    } finally {
      if (this.#isClosed) this.#letGo();
    }
  }

  async #showEnd(end: TurnEnd): Promise<void> {
    this.#lastEnd = end;
    if (end.type === "done") await this.#goToQuestion();
    // Before the keys are shown, so that a key pressed at once is for this call.
    if (end.type === "await-approval") await this.#goToCall(end.open[0]?.call.line);
    await this.refresh();
    // After a conflict, the file contains another text.
    if (end.type !== "gone" && end.type !== "conflict") await this.saved();
    switch (end.type) {
      case "refused":
        this.#notify("warn", end.message);
        return;
      case "await-question":
        this.#notify(
          "warn",
          `The question is empty: write it after 💬: and press ${this.#respondKey()}.`,
        );
        return;
      case "failed":
        this.#notify("error", end.failure.message);
        await this.#event("ParleyError", { message: end.failure.message, kind: end.failure.kind });
        return;
      case "limit":
        this.#notify("warn", end.message);
        return;
      case "await-approval": {
        if (end.already) {
          this.#notify("warn", `${waitingText(end.open)}, so nothing was sent.`);
          return;
        }
        await this.#event("ParleyWaiting", { calls: end.open.length });
        return;
      }
      case "done":
      case "stopped":
      case "conflict":
      case "unsaved":
      case "gone":
        if (end.type !== "done")
          this.#notify(...(await quietEnd(this.chat, end, this.host.ownKeys())));
        await this.#event("ParleyDone", { reason: end.type, ...usageData(this.chat.usage) });
        return;
    }
  }

  async #goToCall(line: number | undefined): Promise<void> {
    if (line !== undefined) await this.host.lua.call("follow", { buf: this.editor.number, line });
  }

  /** Moves windows that followed the answer to the next question. */
  async #goToQuestion(): Promise<void> {
    const { transcript } = await this.chat.read();
    const answered = anchoredExchange(transcript, this.chat.session.respondedTo ?? undefined);
    const next = answered && transcript.exchanges[answered.index + 1];
    if (!next || next.answer !== null) return;
    const { start, end } = next.question.range;
    const said = transcript.lines.slice(start, end).findLastIndex((line) => line.trim() !== "");
    await this.host.lua.call("follow", { buf: this.editor.number, line: start + said });
  }

  async #event(name: string, data: Record<string, unknown>): Promise<void> {
    await this.host.lua.call("event", { name, data: { buf: this.editor.number, ...data } });
  }

  #report(event: ChatEvent): void {
    switch (event.type) {
      case "notice":
        this.host.notify(
          event.level,
          withRespondAction(event.message, `press ${this.#respondKey()}`),
        );
        return;
      case "phase":
        if (event.phase.type === "preparing") {
          this.#lastEnd = null;
          this.ahead.used();
        }
        if (this.#lastPhase === "idle") this.commands.begun();
        if (event.phase.type === "streaming" && !underWay.has(this.#lastPhase)) {
          this.#event("ParleyStart", { label: event.phase.text }).catch(logged("ParleyStart"));
        }
        this.#lastPhase = event.phase.type;
        // Most requests are sent before the user could see that they are prepared, and drawing would delay them.
        this.#drawing.schedule(event.phase.type === "preparing" ? undefined : 0);
        return;
      case "call-progress":
        this.#drawing.scheduleNext();
        return;
      case "topic":
        this.#saveTopic().catch(logged("topic"));
        return;
      case "usage":
      case "ended":
        return;
    }
  }

  /** A running turn, or its end, writes the file anyway. */
  async #saveTopic(): Promise<void> {
    if (this.chat.active !== null) return;
    await saveText(this.chat);
    await this.saved();
    await this.refresh();
  }
}
