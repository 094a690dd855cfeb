import { expect, test } from "vitest";
import { createModels } from "../../src/providers/models.ts";
import { startProxy } from "../support/proxy-server.ts";
import { ask, requestTo, textOf, user } from "./parts.ts";
import { providers, serve } from "./served.ts";

test.each(providers)("%s is asked by way of the proxy of the environment", async (provider, id) => {
  const server = await serve({ text: "Hello." }, { text: "Hello again." });
  const proxy = await startProxy();
  const request = requestTo(provider, id, [user("hi")]);
  const asking = (variables: Readonly<Record<string, string>>) =>
    ask(
      createModels({ providers: {}, environment: { ...server.environment, ...variables } }),
      request,
    );
  try {
    expect(textOf(await asking({ HTTP_PROXY: proxy.address }))).toBe("Hello.");
    expect(proxy.asked).toEqual([`POST ${server.url}`]);
    const direct = await asking({ HTTP_PROXY: proxy.address, NO_PROXY: "127.0.0.1" });
    expect(textOf(direct)).toBe("Hello again.");
    expect(proxy.asked).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  } finally {
    await proxy.close();
  }
});
