/**
 * Draws what is shown of one chat beside its text: builds the view when the text, the turn or the tools changed, and
 * sends it when it differs from what is on screen.
 */
import { isDeepStrictEqual } from "node:util";
import { transcriptModel } from "../../app/configuration/default-model.ts";
import { type CallForecast, forecastCalls } from "../../app/open-chat/call-facts.ts";
import type { ChatOrigin } from "../../app/open-chat/chat-origin.ts";
import { noTools, type OfferedTools } from "../../conversation/chat-tools.ts";
import { decidableExchanges, openCalls } from "../../conversation/decide/next-step.ts";
import { TextGone } from "../../conversation/editor.ts";
import type { Tool } from "../../conversation/ports.ts";
import { chatSettings } from "../../conversation/settings/chat-settings.ts";
import type { Chat, TurnEnd } from "../../conversation/turn/chat.ts";
import { forgetLostMarks } from "../../conversation/turn/forget-marks.ts";
import { saveText } from "../../conversation/turn/save-before.ts";
import { within } from "../../shared/waiting.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { BufferEditor } from "../buffer.ts";
import type { OpenHost } from "../context.ts";
import { logged } from "../log.ts";
import type { View } from "../lua-calls.ts";
import { buildView, mayEraseDrawing, withShown } from "./view.ts";
import type { WorkAhead } from "./work-ahead.ts";

/** How long the view waits for more changes of the text, so that typing does not redraw at every key. */
const refreshDelayMs = 40;

/** The delay while an action of the user runs; if the action waits for the user, the chat is still drawn. */
const busyDelayMs = 250;

/** How many milliseconds listing tools may take before their calls are drawn without them. */
const listedSoonMs = 300;

interface Drawn {
  readonly host: OpenHost;
  readonly chat: Chat;
  readonly editor: BufferEditor;
  readonly origin: ChatOrigin;
  readonly ahead: WorkAhead;
}

/** Facts that are drawn but are not in the text or the chat. */
interface Facts {
  lastEnd(): TurnEnd | null;
  /** The pid of another process that is answering the chat. */
  otherDriver(): number | null;
}

export class Drawing {
  readonly #host: OpenHost;
  readonly #chat: Chat;
  readonly #editor: BufferEditor;
  readonly #origin: ChatOrigin;
  readonly #ahead: WorkAhead;
  readonly #facts: Facts;
  readonly #forgetTools: () => void;
  #timer: NodeJS.Timeout | null = null;
  #offered: OfferedTools = noTools;
  #listing: { readonly since: number } | null = null;
  #forecasts: ReadonlyMap<string, CallForecast> = new Map();
  /** The tool that each open call was first shown with, by the text of its line. */
  #firstShown: ReadonlyMap<string, Tool> = new Map();
  #remembered = 0;
  #shown: View | null = null;

  constructor({ host, chat, editor, origin, ahead }: Drawn, facts: Facts) {
    this.#host = host;
    this.#chat = chat;
    this.#editor = editor;
    this.#origin = origin;
    this.#ahead = ahead;
    this.#facts = facts;
    // Other tools may be offered under the same names, so the calls on screen are drawn again.
    this.#forgetTools = chat.ports.tools.onChange(() => this.schedule(0));
    editor.onSplice((splice) => {
      ahead.changed();
      if (this.#shown !== null && mayEraseDrawing(splice, this.#shown)) this.#shown = null;
      this.schedule();
    });
  }

  /** It is unknown what is on screen: the next view is sent in any case. */
  forget(): void {
    this.#shown = null;
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#forgetTools();
  }

  /** Draws after this many milliseconds without further changes. */
  schedule(delay = refreshDelayMs): void {
    // No work per delta: while an answer streams, the user decides no calls and needs no new view.
    const { type } = this.#chat.phase;
    if ((type === "streaming" || type === "retrying") && delay > 0) return;
    // The user's action goes first: it draws when it is done, or its turn does.
    const isBusy = this.#chat.acting !== null && this.#chat.active === null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.refresh().catch(logged("refresh"));
        // A text that could not be written is tried again with each change.
        if (this.#editor.isUnsaved && this.#chat.active === null) {
          saveText(this.#chat).catch(logged("save"));
        }
      },
      isBusy ? Math.max(delay, busyDelayMs) : delay,
    );
  }

  /** Draws a moment later, also when more changes come without a pause, as a tool may report its progress. */
  scheduleNext(): void {
    if (this.#timer === null) this.schedule();
  }

  /**
   * Finds out what open calls are and would do before they are drawn, since a key only decides what was on screen.
   * While listing takes long, as when a server starts, the calls say so.
   */
  async #lookAhead(transcript: Transcript): Promise<void> {
    const exchanges = decidableExchanges(transcript, this.#chat.session);
    const open = exchanges.flatMap((one) => openCalls(transcript, one, this.#chat.session));
    if (this.#chat.active !== null || open.length === 0) return;
    const listing = this.#chat.ports.tools.remembered(transcript);
    const offered = await within(listing, listedSoonMs);
    if (offered !== null) {
      this.#offered = offered;
      this.#firstShown = withShown(this.#firstShown, open, offered.tools);
      this.#listing = null;
    } else {
      this.#listing ??= { since: Date.now() };
      this.schedule(1000);
      listing.then(() => this.schedule(0)).catch(logged("tools"));
    }
    this.#forecasts = await forecastCalls(this.#offered, exchanges);
  }

  /** Shows the current state of the text; sends nothing when nothing changed. */
  async refresh(): Promise<void> {
    try {
      await this.#draw();
    } catch (error) {
      // A chat that is not loaded has nothing to show; it is drawn when it is read again.
      if (!(error instanceof TextGone)) throw error;
    }
  }

  async #draw(): Promise<void> {
    await this.#lookAhead((await this.#chat.read()).transcript);
    const { transcript, tick } = await this.#chat.read();
    // Drawing does not wait for the files of the records; a changed number causes another drawing.
    forgetLostMarks(this.#chat).then(({ length }) => {
      if (length === this.#remembered) return;
      this.#remembered = length;
      this.schedule(0);
    }, logged("remembered tools"));
    const { configuration } = this.#host.app.now;
    const { environment } = this.#host.app.options;
    const model = transcriptModel(transcript, { configuration, environment });
    this.#ahead.consider(transcript, model);
    const view = buildView({
      chat: this.#chat,
      transcript,
      model,
      tools: this.#offered.tools,
      forecasts: this.#forecasts,
      changes: this.#offered.changes,
      firstShown: this.#firstShown,
      listing: this.#offered === noTools ? this.#listing : null,
      unlisted: this.#offered.unlisted,
      starting: this.#host.app.now.mcp.starting(),
      otherDriver: this.#facts.otherDriver(),
      forgotten: this.#origin.forgotten(),
      remembered: this.#remembered,
      lastEnd: this.#facts.lastEnd(),
      ownKeys: this.#host.ownKeys(),
      headerProblems: chatSettings(transcript.header, configuration).problems,
    });
    if (isDeepStrictEqual(view, this.#shown)) return;
    this.#shown = view;
    const answer = await this.#host.lua.call("show", { buf: this.#editor.number, tick, view });
    // A view of an older text was not drawn; the change that made it old causes the next one.
    if (answer.status !== "shown") this.#shown = null;
    if (answer.status === "stale" && answer.tick === tick) {
      // No change will come, since Neovim has another text at the same tick.
      this.#editor.distrust();
      this.schedule();
    }
  }
}
