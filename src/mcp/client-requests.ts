/** Answers to what a server asks of us: one handler for each method, in both revisions of the protocol. */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { type Client, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { visible } from "../conversation/visible.ts";
import type { ClientFeatures } from "./client-features.ts";
import type { FormResult } from "./form.ts";
import type { Asker, OpenCalls } from "./open-calls.ts";

/** What we tell servers that we can do. */
export function clientCapabilities() {
  return { elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
}

export function answerRequests(client: Client, calls: OpenCalls, features: ClientFeatures): void {
  client.setRequestHandler("roots/list", async () => ({
    roots: (await features.roots()).map((folder) => ({
      uri: pathToFileURL(folder).href,
      name: basename(folder),
    })),
  }));
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
    calls.ask(mcpReq.signal, (asker) => elicit(params, asker, features)),
  );
}

/** What a server wants logged goes into the log and nowhere else. */
export function logMessages(client: Client, log: (text: string) => void): void {
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const { level, logger, data } = params;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    log(visible(`${level}${logger === undefined ? "" : ` ${logger}`}: ${text}`.slice(0, 1000)));
  });
}

/** Only in the older revision: in the newer one a server asks again when it needs to know. */
export async function tellRootsChanged(client: Client): Promise<void> {
  if (client.getProtocolEra() === "legacy") await client.sendRootsListChanged();
}

async function elicit(
  params: unknown,
  asker: Asker,
  features: ClientFeatures,
): Promise<FormResult> {
  const { person, notify, inTurn } = features;
  const server = visible(asker.server);
  if (person === null) {
    notify(
      "warn",
      `MCP server ${server} asked for input, which was declined: nobody is there to ask.`,
    );
    return { action: "decline" };
  }
  asker.progress("waits for your answer to its server");
  try {
    const { elicit } = await import("./elicitation.ts");
    return await inTurn(asker.signal, () => elicit(params, asker, person));
  } catch (error) {
    if (asker.signal.aborted) {
      notify(
        "warn",
        `MCP server ${server} does not wait for an answer any more; nothing was sent.`,
      );
      return { action: "cancel" };
    }
    const reason = error instanceof Error ? error.message : String(error);
    notify("warn", `MCP server ${server} asked for something that was not answered. ${reason}`);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, reason);
  }
}
