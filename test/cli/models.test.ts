import { describe, expect, it } from "vitest";
import { vendors } from "../../src/providers/vendors/vendors.ts";
import { openPlace } from "./command-line.ts";

/** Nothing listens there, so no test reaches a vendor or a local server. */
const nowhere = {
  XAI_BASE_URL: "http://127.0.0.1:9/v1",
  OLLAMA_BASE_URL: "http://127.0.0.1:9/v1",
};

describe("parley models", () => {
  it("lists vendors and models without showing keys", async () => {
    const place = openPlace();
    const ended = await place.parley(["models"], { ...nowhere, XAI_API_KEY: "very-secret" });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(
      /^xai: xAI, key from \$XAI_API_KEY\..*\n {2}- xai\/grok-4\.5: .*tools/m,
    );
    expect(ended.stdout).toContain("openai: OpenAI, no key: set OPENAI_API_KEY");
    expect(ended.stdout).not.toContain("very-secret");
  });

  it("lists vendors and models as JSON", async () => {
    const place = openPlace();
    const ended = await place.parley(["models", "--json"], nowhere);
    const { vendors: listed, offline } = JSON.parse(ended.stdout);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([...vendors.keys()]);
    expect(offline).toContain("mock/demo");
    expect(await place.parley(["models", "file.md"])).toMatchObject({ code: 2 });
    expect(await place.parley(["check", "--json", "chat.md"])).toMatchObject({ code: 2 });
  });
});

describe("parley preview", () => {
  it.each([...vendors.values()])(
    "shows the request that is sent to $label",
    async ({ id, models, apis }) => {
      const place = openPlace(`---\nmodel: ${id}/${models[0]}\ntools: mock\n---\n💬: hi\n`);
      const ended = await place.parley(["preview", "chat.md"]);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      const { provider, api, model, body } = JSON.parse(ended.stdout);
      // OpenAI rejects tools for its current models except in its Responses API.
      const expected = id === "openai" ? "openai-responses" : apis[0];
      expect({ provider, api, model }).toEqual({ provider: id, api: expected, model: models[0] });
      expect(body).toMatchObject({ model: models[0], stream: true });
      expect(JSON.stringify(body.tools)).toContain("web_search");
    },
  );
});
