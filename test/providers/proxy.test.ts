import { expect, test } from "vitest";
import { createModels } from "../../src/providers/models.ts";
import { named, startProxy } from "../support/proxy-server.ts";
import { ask, failureOf, requestTo, textOf, user } from "./parts.ts";
import { providers, serve } from "./served.ts";

test.each(providers)(
  "%s is asked by way of the proxy of the environment, but on this machine",
  async (provider, id) => {
    const server = await serve({ text: "Hello." }, { text: "Hello again." });
    const proxy = await startProxy();
    const request = requestTo(provider, id, [user("hi")]);
    const asking = (base_url: string, variables: Readonly<Record<string, string>>) =>
      ask(
        createModels({
          providers: { [provider]: { base_url } },
          environment: { ...server.environment, ...variables },
        }),
        request,
      );
    const variable = `${provider.toUpperCase()}_BASE_URL`;
    const address = server.environment[variable] ?? "";
    try {
      expect(textOf(await asking(named(address), { HTTP_PROXY: proxy.address }))).toBe("Hello.");
      expect(proxy.asked).toEqual([`POST ${named(server.url)}`]);
      const direct = await asking(address, { HTTP_PROXY: proxy.address });
      expect(textOf(direct)).toBe("Hello again.");
      expect(proxy.asked).toHaveLength(1);
      expect(server.requests).toHaveLength(2);
    } finally {
      await proxy.close();
    }
  },
);

test.each([
  [{ HTTPS_PROXY: "http://127.0.0.1:1" }, "(127.0.0.1:1) cannot be reached (ECONNREFUSED)"],
  [{ HTTPS_PROXY: "proxy" }, "is not an address such as http://host:3128"],
])("a failure of the proxy is not told as one of the vendor: %o", async (environment, why) => {
  const models = createModels({
    providers: {},
    environment: { OPENAI_API_KEY: "k", ...environment },
  });
  const failure = failureOf(await ask(models, requestTo("openai", "gpt-5.5", [user("hi")])));
  expect(failure?.message).toContain(
    "The request was not sent to OpenAI: the proxy in HTTPS_PROXY",
  );
  expect(failure?.message).toContain(why);
  expect(failure?.message).toContain(
    "Correct the variable, unset it, or name api.openai.com in NO_PROXY",
  );
});
