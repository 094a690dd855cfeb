/** Sessions of a server that forgets them. */
import { expect, it } from "vitest";
import { type ServerSession, ServerSessions } from "../../../src/mcp/client/server-session.ts";

/** One whose requests the server refuses, since it has forgotten the session. */
function session(closed: string[], name: string): ServerSession {
  const transport = {
    ending: null,
    explain: () => ({ sentence: "", mayHaveRun: false, connection: "unknown-session" }),
    close: async () => void closed.push(name),
  };
  return { client: {}, transport } as unknown as ServerSession;
}

it("a session that opens again while the server is closed is closed, and nothing is asked there", async () => {
  const closed: string[] = [];
  let open: (one: ServerSession) => void = () => {};
  const opening = new Promise<ServerSession>((resolve) => {
    open = resolve;
  });
  let reopened = 0;
  const sessions = new ServerSessions(session(closed, "first"), {
    open: () => opening,
    onReopened: () => {
      reopened += 1;
    },
    onGone: () => {},
  });
  const asked: ServerSession[] = [];
  const used = sessions.use(null, async (one) => {
    asked.push(one);
    throw new Error("unknown session");
  });
  await Promise.resolve();
  const end = sessions.close("quick");
  open(session(closed, "second"));
  await expect(used).rejects.toThrow("The server was closed.");
  await end;
  expect([asked.length, reopened]).toEqual([1, 0]);
  expect(new Set(closed)).toEqual(new Set(["first", "second"]));
});
