/** Handles a server's requests to the client: one handler per method, for both protocol revisions. */

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { type Client, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { isObject, messageOf } from "../../shared/json.ts";
import { clip, visible } from "../../shared/visible.ts";
import type { ServerConfiguration } from "../configured/launch-configuration.ts";
import type { Asker, RunningCalls } from "../running-calls.ts";
import type { ClientFeatures } from "./client-features.ts";
import type { Dialogue } from "./dialogue.ts";
import type { FormResult } from "./form.ts";
import type { SamplingResult } from "./sampling.ts";

/** The protocol's error code for a sampling request that the user rejects. */
const userRejected = -1;

/** The capabilities that this server gets. Sampling is included only if it is configured. */
export function clientCapabilities(
  { sampling, roots }: Pick<ServerConfiguration, "sampling" | "roots">,
  features: ClientFeatures,
) {
  const mayAskModel = (sampling ?? features.sampling) === "ask";
  return {
    elicitation: { form: {}, url: {} },
    ...given({
      roots: roots === false ? null : { listChanged: true },
      sampling: mayAskModel ? {} : null,
    }),
  };
}

export function answerRequests(
  client: Client,
  calls: RunningCalls,
  features: ClientFeatures,
  { roots, sampling }: ReturnType<typeof clientCapabilities>,
): void {
  if (roots !== undefined) {
    client.setRequestHandler("roots/list", async () => ({
      roots: (await features.roots()).map((folder) => ({
        uri: pathToFileURL(folder).href,
        name: basename(folder),
      })),
    }));
  }
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
    calls.ask(mcpReq.signal, (asker) => elicit(params, asker, features)),
  );
  if (sampling === undefined) return;
  client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) =>
    calls.ask(mcpReq.signal, (asker) => sample(params, asker, features)),
  );
}

/** Registers callbacks for the notifications that one of the server's lists changed. */
export function onChanges(
  client: Client,
  does: Readonly<Record<"tools" | "resources" | "prompts", () => void>>,
): void {
  client.setNotificationHandler("notifications/tools/list_changed", does.tools);
  client.setNotificationHandler("notifications/resources/list_changed", does.resources);
  client.setNotificationHandler("notifications/prompts/list_changed", does.prompts);
}

/** Notifies the user when an address that they opened is completed. Other completions are ignored. */
export function reportCompleted(
  client: Client,
  server: string,
  { opened, notify }: Pick<ClientFeatures, "opened" | "notify">,
): void {
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
    if (!opened.delete(JSON.stringify([server, params.elicitationId]))) return;
    notify(
      "info",
      `MCP server ${visible(server)} says that what you opened in the browser is done.`,
    );
  });
}

/** Writes the server's log messages to the log only; `log` shortens them and hides control characters. */
export function logMessages(client: Client, log: (text: string) => void): void {
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const { level, logger, data } = params;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    log(`${level}${logger === undefined ? "" : ` ${logger}`}: ${text}`);
  });
}

/** Only in the older revision: in the newer one, a server requests the roots whenever it needs them. */
export async function reportRootsChanged(
  client: Client,
  { roots }: ReturnType<typeof clientCapabilities>,
): Promise<void> {
  if (roots !== undefined && client.getProtocolEra() === "legacy")
    await client.sendRootsListChanged();
}

/** Asks the user for what an `elicitation/create` request wants. */
export async function elicit(
  params: unknown,
  asker: Asker,
  features: ClientFeatures,
): Promise<FormResult> {
  const answer = await attend(asker, features, "input", async (user) => {
    const { elicit } = await import("./elicitation.ts");
    return features.inTurn(asker.signal, async () => {
      // The user may have declined the server's other questions while this one waited for its turn.
      if (!asker.mayAsk()) return { action: "decline" } as const;
      const answer = await elicit(params, asker, user);
      heard(asker, features, answer.action === "accept");
      return answer;
    });
  });
  if (answer === "nobody") return { action: "decline" };
  const { elicitationId, mode } = isObject(params) ? params : {};
  if (mode === "url" && answer !== "ended" && answer.action === "accept") {
    features.opened.add(JSON.stringify([asker.server, elicitationId]));
  }
  return answer === "ended" ? { action: "cancel" } : answer;
}

async function sample(
  params: unknown,
  asker: Asker,
  features: ClientFeatures,
): Promise<SamplingResult> {
  const answer = await attend(asker, features, "an answer of a model", async (user) => {
    const { sample } = await import("./sampling.ts");
    const answer = await sample(params, asker, { ...features, user: user });
    heard(asker, features, answer !== null);
    return answer;
  });
  if (answer === null || typeof answer === "string") {
    throw new ProtocolError(userRejected, "User rejected sampling request");
  }
  return answer;
}

/** Records the answer and notifies the user if the server has lost its right to ask: it must not flood the user. */
function heard(asker: Asker, { notify }: Pick<ClientFeatures, "notify">, isYes: boolean): void {
  if (!asker.answered(isYes)) return;
  const server = visible(asker.server);
  notify("warn", `MCP server ${server} keeps asking; Parley declines for you until its next call.`);
}

/** In characters; a reason may contain text of the server. */
const longestReason = 500;

/** Lets `ask` ask the user. Returns `nobody` if it may not, `ended` if the request was cancelled; notifies the user. */
async function attend<T>(
  asker: Asker,
  features: ClientFeatures,
  wanted: string,
  ask: (user: Dialogue) => Promise<T>,
): Promise<T | "nobody" | "ended"> {
  const { user, notify } = features;
  const server = `MCP server ${visible(asker.server)}`;
  if (!asker.mayAsk()) return "nobody";
  if (asker.isOneTooMany) {
    heard(asker, features, false);
    return "nobody";
  }
  if (user === null) {
    notify(
      "warn",
      `${server} asked for ${wanted}, which was declined because there is no user to ask here.`,
    );
    heard(asker, features, false);
    return "nobody";
  }
  asker.progress("waits for your answer to its server");
  try {
    return await ask(user);
  } catch (error) {
    if (asker.signal.aborted) {
      notify("warn", `${server} no longer waits for an answer; nothing was sent.`);
      return "ended";
    }
    const reason = messageOf(error);
    const shownReason = visible(clip(reason, longestReason).text);
    notify("warn", `${server} asked for ${wanted} and got none. ${shownReason}`);
    heard(asker, features, false);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, reason);
  }
}
