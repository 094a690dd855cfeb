/** The session of a connection, and the next one when the server has forgotten it. */
import { unlessAborted } from "./client-features.ts";
import { LoginNeededError } from "./login-needed.ts";
import type { Session } from "./session.ts";

export interface SessionsOptions {
  readonly open: () => Promise<Session>;
  /** Another session is in use: what was known of the server may be old. */
  readonly onReopened: () => void;
  /** No use for this connection any more. Gets the reason as the server's transport tells it. */
  readonly onGone: (sentence: string, needsLogin: boolean) => void;
}

export class Sessions {
  readonly #options: SessionsOptions;
  #current: Session;
  #reopening: Promise<Session> | null = null;
  #isGone = false;
  #isClosed = false;
  #uses = 0;

  constructor(first: Session, options: SessionsOptions) {
    this.#current = first;
    this.#options = options;
  }

  current(): Session {
    return this.#current;
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Makes one request. It is made a second time in one case: the server refused it because it has forgotten the
   * session (404 of MCP 2025-11-25, section "Session Management", or a 400 that names the session, as servers on the
   * SDK answer after a restart). Then it was looked at no further, so nothing is done twice and no approved call is
   * lost. After any other failure a call may have had its effect, and it is never made again.
   */
  async use<T>(signal: AbortSignal | null, request: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#current;
    this.#uses += 1;
    try {
      return await request(session).catch(async (error: unknown) => {
        if (session.transport.explain(error)?.connection !== "unknown-session") throw error;
        const reopened = this.#reopened(session);
        const next = await (signal === null ? reopened : unlessAborted(reopened, signal));
        return request(next);
      });
    } catch (error) {
      this.#look(error);
      throw error;
    } finally {
      this.#uses -= 1;
      if (this.#isGone && this.#uses === 0) await this.#current.transport.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reopening?.catch(() => "there is nothing to close");
    await this.#current.transport.close();
  }

  /** Several requests may find out at once. */
  #reopened(old: Session): Promise<Session> {
    if (this.#current !== old) return Promise.resolve(this.#current);
    this.#reopening ??= this.#reopen(old).finally(() => {
      this.#reopening = null;
    });
    return this.#reopening;
  }

  async #reopen(old: Session): Promise<Session> {
    const next = await this.#options.open();
    this.#current = next;
    old.transport.ending = "It has forgotten its session; it was started anew, as a rule.";
    await old.transport.close();
    if (this.#isClosed) {
      await next.transport.close();
      throw new Error("The server was closed.");
    }
    this.#options.onReopened();
    return next;
  }

  #look(error: unknown): void {
    const failure =
      error instanceof LoginNeededError
        ? ({ sentence: error.message, connection: "needs-login" } as const)
        : this.#current.transport.explain(error);
    if (failure?.connection !== "gone" && failure?.connection !== "needs-login") return;
    // Requests under way may yet be answered; the last one closes.
    this.#isGone = true;
    this.#options.onGone(failure.sentence, failure.connection === "needs-login");
  }
}
