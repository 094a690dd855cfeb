/** The one port that is ever opened. */
import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { listenForAnswer, readPastedAnswer } from "../../../src/mcp/oauth/callback.ts";

async function listen(state: string) {
  const callback = await listenForAnswer(state, null);
  onTestFinished(callback.close);
  return callback;
}

it("takes one answer and refuses the next", async () => {
  const { redirectUrl, answer } = await listen("right");
  const page = await fetch(`${redirectUrl}?code=abc&state=right&iss=https%3A%2F%2Fa`);
  expect(page.status).toBe(200);
  expect(await page.text()).not.toContain("abc");
  expect(Object.fromEntries(await answer)).toEqual({
    code: "abc",
    state: "right",
    iss: "https://a",
  });
  await expect(fetch(`${redirectUrl}?code=def&state=right`)).rejects.toThrow();
});

it("takes none with another state, and goes on waiting for its own", async () => {
  const { redirectUrl, answer } = await listen("right");
  const page = await fetch(`${redirectUrl}?code=abc&state=wrong`);
  expect(page.status).toBe(400);
  expect((await fetch(`${redirectUrl}?code=abc`)).status).toBe(400);
  expect((await fetch(`${redirectUrl}?code=abc&state=right`)).status).toBe(200);
  expect((await answer).get("code")).toBe("abc");
});

it("is reached by the address of this machine alone, and by no name for it", async () => {
  const { redirectUrl, answer } = await listen("right");
  const { port } = new URL(redirectUrl);
  const asked = await new Promise<number | undefined>((done, fail) => {
    const path = "/callback?code=abc&state=right";
    const options = { host: "127.0.0.1", port, path, headers: { Host: `evil.example:${port}` } };
    request(options, (response) => done(response.resume().statusCode))
      .on("error", fail)
      .end();
  });
  expect(asked).toBe(404);
  expect((await fetch(`http://127.0.0.1:${port}/favicon.ico`)).status).toBe(404);
  expect((await fetch(redirectUrl, { method: "POST" })).status).toBe(404);
  await fetch(`${redirectUrl}?code=abc&state=right`);
  expect((await answer).get("code")).toBe("abc");
});

it("says when its port is taken", async () => {
  const { redirectUrl } = await listen("right");
  const port = Number(new URL(redirectUrl).port);
  await expect(listenForAnswer("other", port)).rejects.toThrow(
    /EADDRINUSE\); the login was not started/,
  );
});

it.each([
  ["http://127.0.0.1:1/callback?code=abc&state=right#_", { code: "abc", state: "right" }],
  ["?code=abc&state=right&iss=x", { code: "abc", state: "right", iss: "x" }],
  ["  abc-123\n", { code: "abc-123" }],
])("reads %j when it is pasted", (text, read) => {
  expect(Object.fromEntries(readPastedAnswer(text, "right"))).toEqual(read);
});

it.each([
  ["", /neither an address/],
  ["two words", /neither an address/],
  ["http://127.0.0.1:1/callback?code=abc&state=wrong", /does not belong to this login/],
  ["http://127.0.0.1:1/callback?code=abc", /does not belong to this login/],
])("refuses %j when it is pasted", (text, sentence) => {
  expect(() => readPastedAnswer(text, "right")).toThrow(sentence);
});
