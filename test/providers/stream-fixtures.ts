/** Streams as providers send them, byte for byte, with what has to come out of each. */
import { anthropicFixtures } from "./anthropic-stream-fixtures.ts";
import { compatibleFixtures } from "./compatible-stream-fixtures.ts";
import { openaiFixtures } from "./openai-stream-fixtures.ts";
import { responsesFixtures } from "./responses-stream-fixtures.ts";
import type { Fixture } from "./stream-fixture.ts";
import { vendorFixtures } from "./vendor-stream-fixtures.ts";
import {
  wholeAnthropicFixtures,
  wholeChatFixtures,
  wholeResponsesFixtures,
} from "./whole-answer-fixtures.ts";

export interface StreamFixture extends Fixture {
  /** `responses` is a server of the tests' own that speaks the Responses API. */
  readonly provider: string;
}

export const streamFixtures: readonly StreamFixture[] = [
  ...openaiFixtures.map((fixture) => ({ ...fixture, provider: "openai" as const })),
  ...responsesFixtures.map((fixture) => ({ ...fixture, provider: "responses" as const })),
  ...anthropicFixtures.map((fixture) => ({ ...fixture, provider: "anthropic" as const })),
  ...vendorFixtures,
  ...compatibleFixtures.map((fixture) => ({ ...fixture, provider: "chat" as const })),
  ...wholeChatFixtures.map((fixture) => ({ ...fixture, provider: "chat" as const })),
  ...wholeResponsesFixtures.map((fixture) => ({ ...fixture, provider: "responses" as const })),
  ...wholeAnthropicFixtures.map((fixture) => ({ ...fixture, provider: "anthropic" as const })),
];
