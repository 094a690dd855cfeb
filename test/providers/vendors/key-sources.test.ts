/** Which variables of the environment hold keys of vendors. */
import { expect, it } from "vitest";
import { keyVariables } from "../../../src/providers/vendors/key-sources.ts";

it("counts headers with the token of a gateway, and keys that Parley itself does not ask with", () => {
  const names = keyVariables({ providers: { mine: { base_url: "https://mine.test" } } });
  for (const name of [
    ...["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MINE_API_KEY"],
    ...["OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"],
    ...["OPENAI_ADMIN_KEY", "ANTHROPIC_AUTH_TOKEN"],
  ]) {
    expect(names, name).toContain(name);
  }
});
