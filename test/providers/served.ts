import { onTestFinished } from "vitest";
import { createModels, type ModelsOptions } from "../../src/providers/models.ts";
import { type ModelServer, startModelServer, type Turn } from "../support/model-server.ts";

export const providers = [
  ["openai", "gpt-5"],
  ["anthropic", "claude-sonnet-5"],
] as const;

/** A server that is closed after the test. */
export async function serve(...turns: Turn[]): Promise<ModelServer> {
  const server = await startModelServer({ turns });
  onTestFinished(() => server.close());
  return server;
}

/** Nothing is sent twice unless a test says so. */
export function modelsAt(
  { environment }: ModelServer,
  timeouts: ModelsOptions["timeouts"] = {},
  retries: ModelsOptions["retries"] = { maxRetries: 0 },
) {
  return createModels({ providers: {}, environment, timeouts, retries });
}

/** The first piece of an answer, saying “Hi”. */
export function streamStart(provider: "openai" | "anthropic"): string {
  if (provider === "openai") {
    return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Hi" } }] })}\n\n`;
  }
  const start = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "Hi" },
  };
  return `event: content_block_start\ndata: ${JSON.stringify(start)}\n\n`;
}
