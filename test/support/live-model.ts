/** A model on the loopback, in OpenAI's wire format, whose answers a test says piece by piece while they stream. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const requestBody = z.object({ messages: z.array(z.looseObject({ role: z.string() })) });
export type RequestMessage = z.infer<typeof requestBody>["messages"][number];

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, or what should be. */
  readonly arguments: string;
}

/** One answer under way. */
export interface Reply {
  readonly messages: readonly RequestMessage[];
  /** Each piece is a delta of its own. */
  say(...pieces: readonly string[]): void;
  think(...pieces: readonly string[]): void;
  /** Calls of `web_search` with one argument, `query`. */
  call(...calls: readonly { readonly id: string; readonly query: string }[]): void;
  /** Calls of any tool, with arguments as the model wrote them. */
  callTools(...calls: readonly ToolCall[]): void;
  end(reason?: "stop" | "tool_calls" | "length"): void;
  /** The socket is cut in the middle. */
  drop(): void;
  /** Whether the asking side closed the connection before the end. */
  isGone(): boolean;
}

export interface LiveModel {
  readonly environment: Readonly<Record<string, string>>;
  /** Requests so far. */
  count(): number;
  /** The answer to the oldest request that nobody took yet. */
  take(): Reply | undefined;
  /** Nothing was asked yet, for the next test. */
  forget(): void;
  close(): Promise<void>;
}

export async function startLiveModel(): Promise<LiveModel> {
  const replies: Reply[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    request.setEncoding("utf8");
    for await (const piece of request) body += piece;
    if (request.method !== "POST") {
      // It has no list of models.
      response.writeHead(404).end();
      return;
    }
    count += 1;
    replies.push(createReply(requestBody.parse(JSON.parse(body)).messages, response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: { OPENAI_API_KEY: "test", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    count: () => count,
    take: () => replies.shift(),
    forget() {
      replies.length = 0;
      count = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function createReply(messages: Reply["messages"], response: ServerResponse): Reply {
  let isEnded = false;
  let isGone = false;
  response.on("close", () => {
    isGone = !isEnded;
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const send = (delta: object, reason: string | null = null) => {
    const chunk = {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 0,
      model: "live",
      choices: [{ index: 0, delta, finish_reason: reason }],
    };
    if (!response.destroyed) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const callTools = (calls: readonly ToolCall[]) => {
    calls.forEach(({ id, ...called }, index) => {
      send({ tool_calls: [{ index, id, type: "function", function: called }] });
    });
  };
  return {
    messages,
    say: (...pieces) => {
      for (const content of pieces) send({ content });
    },
    think: (...pieces) => {
      for (const piece of pieces) send({ reasoning_content: piece });
    },
    call: (...calls) => {
      callTools(
        calls.map(({ id, query }) => {
          return { id, name: "web_search", arguments: JSON.stringify({ query }) };
        }),
      );
    },
    callTools: (...calls) => callTools(calls),
    end(reason = "stop") {
      send({}, reason);
      isEnded = true;
      response.end("data: [DONE]\n\n");
    },
    drop: () => response.destroy(),
    isGone: () => isGone,
  };
}
