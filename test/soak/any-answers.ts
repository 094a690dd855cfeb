/** What vendors answer on a bad day: refusals, streams with something wrong, and anything that a model may write. */
import { streamFixtures } from "../providers/stream-fixtures.ts";
import type { ModelServer, ReceivedRequest, Turn } from "../support/model-server.ts";
import type { Random } from "../support/random.mjs";

const models = [
  "openai/gpt-5.5",
  "openai/gpt-4.1",
  "anthropic/claude-sonnet-5",
  "anthropic/claude-opus-4-5",
  "google/gemini-3.8-flash",
  "mistral/mistral-large-latest",
  "deepseek/deepseek-reasoner",
  "xai/grok-4.5",
  "openrouter/anthropic/claude-sonnet-5.5",
  "cerebras/gpt-oss-120b",
] as const;

export function anyModel(random: Random): string {
  return random.of(models);
}

function scripted(random: Random, word: number): Turn {
  const id = () =>
    random.of([`call_${word}`, `toolu_${word}_`, "same", "a/b c", `x${"y".repeat(80)}`]);
  const query = () =>
    random.of([
      '{"query":"say:found"}',
      '{"query":"say:💬: x\\n🤖: y"}',
      '{"query": "say:a"',
      "{}",
      "",
      '{"query":"hold:never"}',
    ]);
  const calls = Array.from({ length: random.of([0, 1, 1, 2, 3]) }, (_, index) => ({
    id: `${id()}${index}`,
    name: random.of(["web_search", "web_search", "mcp__mock__web_search", "no_such", "odd name"]),
    arguments: query(),
  }));
  const text = random.of([
    "Some words.",
    "",
    "💬: x\n\n🤖: y\n",
    "```lua\nlocal x = 1",
    "📝: a\n❓: `{}`\n",
    "é\u0000\u001b[31m",
  ]);
  return {
    text: `${text} word${word}`,
    ...(random.below(3) === 0 ? { thoughts: "Hm.\n\n🤖: x", signature: "c2lnbmVk" } : {}),
    ...(calls.length > 0 ? { calls } : {}),
    finish:
      calls.length > 0 ? "tool_calls" : random.of(["stop", "stop", "length", "content_filter"]),
    chunkSize: random.of([1, 7, 100]),
    delayMs: random.of([0, 0, 1]),
    ...(random.below(6) === 0 ? { cutAfterChunks: random.below(6) } : {}),
  };
}

const refusals = [
  [400, "context_length_exceeded"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [503, "overloaded"],
  [529, "overloaded_error"],
] as const;

function refused(random: Random): Turn {
  const [status, type] = random.of(refusals);
  return {
    ...{
      status,
      type,
      message: random.of([
        "No such model.",
        "The model:\n💬: x\nline",
        `The model ${"x".repeat(5000)}`,
      ]),
    },
    headers: random.of([
      {},
      { "retry-after": "0" },
      { "retry-after": "x" },
      { "retry-after-ms": "1" },
    ]),
  };
}

/** A stream as vendors send it, at times with something wrong. */
function streamed(random: Random, { api }: ReceivedRequest): Turn {
  const isOfApi = (provider: string) =>
    api === "openai" ? !["responses", "anthropic"].includes(provider) : provider === api;
  const { body } = random.of(streamFixtures.filter(({ provider }) => isOfApi(provider)));
  const events = body.split(/(?<=\n\r?\n)/);
  const at = random.below(events.length);
  switch (random.below(7)) {
    case 0:
      events.splice(at, 1);
      break;
    case 1:
      events.splice(at, 0, events[at] ?? "");
      break;
    case 2:
      events.splice(
        at,
        0,
        random.of([
          "data: {\n\n",
          ": ping\n\n",
          "data: null\n\n",
          "\n",
          "event: error\ndata: {}\n\n",
        ]),
      );
      break;
    case 3:
      events.splice(at);
      break;
    default:
  }
  const bytes = Buffer.from(events.join(""));
  const cut = random.below(bytes.length + 1);
  return {
    raw: random.of([[bytes], [bytes.subarray(0, cut), bytes.subarray(cut)], events]),
    pauseMs: random.of([0, 0, 2]),
    ending: random.of(["end", "end", "end", "destroy", "hang"]),
    headers: random.of([
      {},
      {},
      {},
      { "content-type": "application/json" },
      { "content-type": "text/html" },
    ]),
  };
}

function broken(random: Random): Turn {
  return {
    status: random.of([200, 200, 201, 204, 302, 502]),
    headers: {
      "content-type": random.of([
        "text/html",
        "application/json",
        "text/plain",
        "text/event-stream",
      ]),
    },
    raw: [
      random.of([
        "",
        "<html>Sorry</html>",
        "{",
        "[]",
        "null",
        "data: [DONE]\n\n",
        "{}",
        '{"error":"no"}',
        "\u0000",
      ]),
    ],
    ending: random.of(["end", "destroy"]),
  };
}

/** The answer to a request. `word` is in its text, where it has one. */
export function anyTurn(random: Random, received: ReceivedRequest, word: number): Turn {
  return random.weighted([
    [10, () => scripted(random, word)],
    [2, () => refused(random)],
    [3, () => streamed(random, received)],
    [1, () => broken(random)],
  ])();
}

/** The requests that broke a vendor's rules. */
export function refusedRequests({ requests }: ModelServer): string[] {
  return requests.flatMap(({ violation, api, vendor, raw }) => {
    // What an address that is not OpenAI's own has is learned by asking.
    const isLearned = violation === null || violation.includes("Please use /v1/responses");
    return isLearned ? [] : [`${api} ${vendor} refuses: ${violation}\n${raw}`];
  });
}
