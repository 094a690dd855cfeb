/** Answers to what a server asks of us: one handler for each method, in both revisions of the protocol. */

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { type Client, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { given } from "../../shared/given.ts";
import { isObject, messageOf } from "../../shared/json.ts";
import { clip, visible } from "../../shared/visible.ts";
import type { ServerConfiguration } from "../configured/launch-configuration.ts";
import type { Asker, OpenCalls } from "../open-calls.ts";
import type { ClientFeatures } from "./client-features.ts";
import type { Dialogue } from "./dialogue.ts";
import type { FormResult } from "./form.ts";
import type { SamplingResult } from "./sampling.ts";

/** The protocol's code for a person's no to a request for a model's answer. */
const userRejected = -1;

/** What we tell this server that we can do. Nobody may ask for the model unless that is configured. */
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
  calls: OpenCalls,
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

/** What to do when the server says that one of its lists changed. */
export function onChanges(
  client: Client,
  does: Readonly<Record<"tools" | "resources" | "prompts", () => void>>,
): void {
  client.setNotificationHandler("notifications/tools/list_changed", does.tools);
  client.setNotificationHandler("notifications/resources/list_changed", does.resources);
  client.setNotificationHandler("notifications/prompts/list_changed", does.prompts);
}

/** Tells the person that what they opened in the browser is done; of nothing else they need to hear. */
export function tellCompleted(
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

/** What a server wants logged goes into the log and nowhere else. */
export function logMessages(client: Client, log: (text: string) => void): void {
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const { level, logger, data } = params;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    log(visible(`${level}${logger === undefined ? "" : ` ${logger}`}: ${text}`.slice(0, 1000)));
  });
}

/** Only in the older revision: in the newer one a server asks again when it needs to know. */
export async function tellRootsChanged(
  client: Client,
  { roots }: ReturnType<typeof clientCapabilities>,
): Promise<void> {
  if (roots !== undefined && client.getProtocolEra() === "legacy")
    await client.sendRootsListChanged();
}

/** Asks the person for what `params` of `elicitation/create` say. */
export async function elicit(
  params: unknown,
  asker: Asker,
  features: ClientFeatures,
): Promise<FormResult> {
  const answer = await attend(asker, features, "input", async (person) => {
    const { elicit } = await import("./elicitation.ts");
    return features.inTurn(asker.signal, async () => {
      // Others of it may have been left while this one waited for its turn.
      if (!asker.mayAsk()) return { action: "decline" } as const;
      const answer = await elicit(params, asker, person);
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
  const answer = await attend(asker, features, "an answer of a model", async (person) => {
    const { sample } = await import("./sampling.ts");
    const answer = await sample(params, asker, { ...features, person });
    heard(asker, features, answer !== null);
    return answer;
  });
  if (answer === null || typeof answer === "string") {
    throw new ProtocolError(userRejected, "User rejected sampling request");
  }
  return answer;
}

/** A server that asks again and again must not hold the person. */
function heard(asker: Asker, { notify }: Pick<ClientFeatures, "notify">, isYes: boolean): void {
  if (!asker.answered(isYes)) return;
  const server = visible(asker.server);
  notify("warn", `MCP server ${server} keeps asking; Parley declines for you until its next call.`);
}

/** Characters of a reason, in which a server's words may stand. */
const longestReason = 500;

/** Lets `ask` ask the person. `nobody`: there is none; `ended`: nobody waits for the answer any more. Says so. */
async function attend<T>(
  asker: Asker,
  features: ClientFeatures,
  wanted: string,
  ask: (person: Dialogue) => Promise<T>,
): Promise<T | "nobody" | "ended"> {
  const { person, notify } = features;
  const server = `MCP server ${visible(asker.server)}`;
  if (!asker.mayAsk()) return "nobody";
  if (asker.isOneTooMany) {
    heard(asker, features, false);
    return "nobody";
  }
  if (person === null) {
    notify("warn", `${server} asked for ${wanted}, which was declined: nobody is there to ask.`);
    heard(asker, features, false);
    return "nobody";
  }
  asker.progress("waits for your answer to its server");
  try {
    return await ask(person);
  } catch (error) {
    if (asker.signal.aborted) {
      notify("warn", `${server} no longer waits for an answer; nothing was sent.`);
      return "ended";
    }
    const reason = messageOf(error);
    const told = visible(clip(reason, longestReason).text);
    notify("warn", `${server} asked for ${wanted} and got none. ${told}`);
    heard(asker, features, false);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, reason);
  }
}
