/** Authorization servers whose answers are good ones with anything wrong: a login ends, with words for people. */
import { UnauthorizedError } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readLogins } from "../../../src/mcp/oauth/credentials.ts";
import { messageOf } from "../../../src/shared/json.ts";
import { createChaos } from "../../support/chaos.mjs";
import type { Garbled } from "../../support/oauth-server.ts";
import { browse, callTool, loginAs, openScene, type Scene } from "./scene.ts";

/** The SDK's own, which the host keeps in its log. */
beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

function garbling(seed: number): (good: object) => Garbled {
  const { below, of, mutated } = createChaos(seed);
  const type = "application/json";
  const types = [type, "text/html", "", "text/plain"];
  const nothings = ["", "null", "[]", "<html>Sorry</html>", '"a"', "7"];
  return (good) => {
    const text = JSON.stringify(good);
    const right = { status: 200, type, body: text };
    // Most answers are right, or no login would get beyond the first ones.
    if (below(5) < 3) return right;
    const wrong = { ...right, body: JSON.stringify(mutated(good)) };
    return of([
      ...[wrong, wrong, wrong],
      { ...wrong, status: of([200, 201, 400, 401, 403, 404, 429, 500, 503]) },
      { ...right, status: of([201, 400, 401, 404, 429, 500]), type: of(types) },
      { ...right, body: text.slice(0, below(text.length)) },
      { ...right, body: of(nothings), type: of(types) },
    ]);
  };
}

/** What a library or the language says, or a secret. */
const raw =
  /undefined|\[object |TypeError|SyntaxError|Cannot read|is not a function|NaN|invalid_type|must be saveable|\\n|access-|refresh-|code-|very-secret/;

function expectWords(error: unknown): void {
  const sentence = messageOf(error);
  expect(sentence).not.toMatch(raw);
  expect(sentence).toMatch(/^\S.*[.)]$/s);
}

/** A file that cannot be read would be another Neovim's problem, too. */
async function expectKept(scene: Scene): Promise<void> {
  const text = await scene.file().catch(() => '{"version":1,"servers":{}}');
  expect(readLogins(JSON.parse(text))).not.toBeNull();
}

describe("an authorization server that breaks the protocol", () => {
  it.each(seeds)("lets people log in or says why not, in the way of seed %i", async (seed) => {
    const scene = await openScene();
    const session = scene.session();
    await expect(callTool(scene, session, "read")).rejects.toThrow(UnauthorizedError);
    scene.server.behaviour = { garble: garbling(seed) };
    const patience = { ...loginAs(browse), timeoutMs: 2_000 };
    await session.login(patience).catch(expectWords);
    await expectKept(scene);
    scene.server.expire();
    for (let time = 0; time < 2; time += 1) {
      // The user is told that a login is needed, which is not an error's text.
      await callTool(scene, session, "read").catch((error: unknown) => {
        if (!(error instanceof UnauthorizedError)) expectWords(error);
      });
      await expectKept(scene);
    }
  });

  it.each(seeds)("refuses a machine in words, in the way of seed %i", async (seed) => {
    const client = { id: "machine", secret: "very-secret" };
    const scene = await openScene({ client, garble: garbling(seed) });
    const session = scene.session({
      isMachine: true,
      clientId: client.id,
      clientSecret: client.secret,
      issuer: scene.server.issuer,
    });
    for (let time = 0; time < 3; time += 1) {
      await callTool(scene, session, "read").catch((error: unknown) => {
        expectWords(error);
        // Nobody can.
        expect(messageOf(error)).not.toContain("log in again");
      });
    }
  });
});
