/** Fits a request to its model: leaves out what the model would refuse, and says so. Pure. */

import type { Failure, Message, ModelRequest, Tool, ToolChoice } from "../../conversation/ports.ts";
import { sizeText, summariseNames } from "../../shared/counted.ts";
import { given } from "../../shared/given.ts";
import { isUnseen } from "../../shared/well-formed.ts";
import { noImageInputPlaceholder, tooLargePlaceholder } from "../text.ts";
import { fits, takenSampling } from "../vendors/compat.ts";
import type { Vendor } from "../vendors/vendor.ts";
import { wireArguments } from "./prepare-tool.ts";
import { inNameOrder, toolHash } from "./tool-schema.ts";
import { imageSize, withNewestImages, withoutImages } from "./without-images.ts";

type Taker = Pick<Vendor, "label" | "compat">;

export interface FittedRequest {
  readonly request: ModelRequest;
  /** Sentences for the user about what was not sent or was changed. */
  readonly notices: readonly string[];
}

/** Fits one aspect of the request; adds its sentences to `said`. */
type Fit = (request: ModelRequest, taker: Taker, said: string[]) => ModelRequest;

/** Idempotent: a fitted request does not change any more. */
export function fitRequest(request: ModelRequest, taker: Taker): FittedRequest {
  const notices: string[] = [];
  const steps: readonly Fit[] = [
    fitSystem,
    fitRefusedTools,
    fitArguments,
    fitTools,
    fitToolChoice,
    fitParallelCalls,
    fitSampling,
    fitImages,
    fitStandIn,
  ];
  const fitted = steps.reduce((rest, step) => step(rest, taker, notices), request);
  return { request: fitted, notices };
}

/** Why a request must not be sent at all; null if it may be. */
export function refusal(
  { tools }: Pick<ModelRequest, "tools">,
  { label, compat: { maxTools } }: Taker,
): Failure | null {
  if (maxTools === null || tools.length <= maxTools) return null;
  const names = inNameOrder(tools).map(({ name }) => name);
  const over = listed(names.slice(maxTools));
  const takes = `${label} accepts ${maxTools} tools in one request, and`;
  const tooMany = `${tools.length}: ${over} would be too many, so nothing was sent`;
  return {
    kind: "invalid-request",
    happened: `${takes} there are ${tooMany}`,
    message: `${takes} this chat offers ${tooMany}. ${wayToFewer(tools, maxTools)}, and respond again.`,
  };
}

/** Suggests a `tools:` line that leaves few enough tools and drops as few servers as possible. */
function wayToFewer(tools: ModelRequest["tools"], most: number): string {
  const counts = new Map<string, number>();
  for (const { server } of tools) {
    if (server !== null) counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  const largest = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const words: string[] = [];
  let left = tools.length;
  for (const [server, count] of largest) {
    if (left <= most) break;
    words.push(`-${server}`);
    left -= count;
  }
  const header =
    left > most || left === 0
      ? "Choose fewer with tools: in the header"
      : `In the header, tools: ${words.join(", ")} would leave ${left}`;
  return `${header}; tool_search: ${most} has the model find those it needs`;
}

const mostListed = 12;

const listed = (names: readonly string[]) => summariseNames(names, mostListed);

/** For models with only user and assistant roles: sends it as the first message, so that the prefix stays the same. */
const fitSystem: Fit = (request, { compat }) => {
  if (compat.takesSystem || isUnseen(request.system)) return request;
  const systemAsMessage = {
    role: "user",
    content: [{ type: "text", text: request.system }],
  } as const;
  return { ...request, system: "", messages: [systemAsMessage, ...request.messages] };
};

/** Matches a refused tool by its hash, so that a tool which its server has fixed is offered again. */
const fitRefusedTools: Fit = (request, { label, compat }, said) => {
  if (compat.refusedTools.length === 0) return request;
  const refused = request.tools.filter((tool) =>
    compat.refusedTools.some(({ name, hash }) => name === tool.name && hash === toolHash(tool)),
  );
  if (refused.length === 0) return request;
  const names = listed(refused.map(({ name }) => name));
  said.push(`${label} refused these tools, so they are not offered: ${names}.`);
  return { ...request, tools: request.tools.filter((tool) => !refused.includes(tool)) };
};

/** Uses the property names of the current schemas in earlier calls, too. */
const fitArguments: Fit = (request, { compat }) => {
  if (compat.propertyName === null) return request;
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]));
  const messages = request.messages.map((message): Message => {
    if (message.role !== "assistant") return message;
    const content = message.content.map((part) => {
      if (part.type !== "tool-call") return part;
      const json = wireArguments(part.arguments, tools.get(part.name), compat);
      return json === part.arguments ? part : { ...part, arguments: json };
    });
    const isSame = content.every((part, index) => part === message.content[index]);
    return isSame ? message : { ...message, content };
  });
  const isSame = messages.every((message, index) => message === request.messages[index]);
  return isSame ? request : { ...request, messages };
};

const fitTools: Fit = (request, { label, compat }, said) => {
  const unfit = request.tools.filter(({ name }) => !compat.toolName.test(name));
  const long = request.tools.filter(
    ({ name, description }) =>
      compat.toolName.test(name) && description.length > (compat.toolDescriptionLength ?? Infinity),
  );
  if (long.length > 0) {
    const names = listed(long.map(({ name }) => name));
    said.push(
      `${label} accepts tool descriptions of up to ${compat.toolDescriptionLength} characters, so those of these tools are shortened: ${names}.`,
    );
  }
  if (unfit.length === 0) return request;
  const names = listed(unfit.map(({ name }) => name));
  said.push(
    `${label} does not accept the names of these tools, so they are not offered: ${names}.`,
  );
  return { ...request, tools: request.tools.filter((tool) => !unfit.includes(tool)) };
};

const fitToolChoice: Fit = (request, taker, said) => {
  const { toolChoice, ...rest } = request;
  if (toolChoice === undefined || request.tools.length === 0) return rest;
  const { toolChoices } = taker.compat;
  const wanted = typeof toolChoice === "string" ? toolChoice : "tool";
  if (
    typeof toolChoice !== "string" &&
    !request.tools.some(({ name }) => name === toolChoice.tool)
  ) {
    said.push(
      `No tool “${toolChoice.tool}” is offered in this chat, so the model chooses (tool_choice).`,
    );
    return rest;
  }
  if (toolChoices.includes(wanted)) return request;
  // Where the vendor has no `none`, sending no tools means the same.
  if (wanted === "none") return { ...rest, tools: [] };
  if (wanted !== "auto") said.push(unknownChoice(toolChoice, taker));
  return rest;
};

function unknownChoice(choice: ToolChoice, { label, compat }: Taker): string {
  const word = typeof choice === "string" ? choice : choice.tool;
  const known = compat.toolChoices.length === 0 ? "nothing" : compat.toolChoices.join(", ");
  return `${label} does not support tool_choice “${word}” (supported: ${known}), so the model chooses.`;
}

const fitParallelCalls: Fit = (request, { label, compat }, said) => {
  if (request.parallelToolCalls === undefined || compat.parallelField !== null) return request;
  const { parallelToolCalls, ...rest } = request;
  if (!parallelToolCalls && request.tools.length > 0) {
    said.push(
      `${label} does not support turning parallel calls off, so parallel_tool_calls is not sent.`,
    );
  }
  return rest;
};

const fitSampling: Fit = (request, { label, compat }, said) => {
  const { sampling, ...rest } = request;
  if (sampling === undefined) return request;
  const taken = takenSampling(request, compat);
  const left = Object.keys(sampling).filter((name) => !Object.hasOwn(taken, name));
  said.push(
    ...left.map(
      (name) => `${label}'s ${request.model.id} does not accept ${name}, so it is not sent.`,
    ),
  );
  return { ...rest, ...given({ sampling: Object.keys(taken).length === 0 ? null : taken }) };
};

/** If the model calls it nevertheless, the call is answered like any call of an unknown tool. */
const standIn: Tool = {
  name: "no_tool",
  description: "There are no tools now. Answer without one.",
  inputSchema: { type: "object", properties: {} },
  server: null,
};

const fitStandIn: Fit = (request, { compat }) => {
  if (!compat.standInTool || request.tools.length > 0) return request;
  const hasCalls = request.messages.some(({ role }) => role === "tool");
  return hasCalls ? { ...request, tools: [standIn] } : request;
};

/** In characters of base64. No vendor takes more; but a chat from anyone can name the same image a thousand times. */
const largestImages = 64_000_000;

const fitImages: Fit = (request, { label, compat }, said) => {
  if (!fits(compat.vision, request.model.id)) {
    const { messages, count: hidden } = withoutImages(request.messages, noImageInputPlaceholder);
    if (hidden === 0) return request;
    said.push(
      `${label}'s ${request.model.id} sees no images, so ${hidden === 1 ? "one is" : `${hidden} are`} replaced by a remark.`,
    );
    return { ...request, messages };
  }
  const all = request.messages;
  if (imageSize(all) <= largestImages) return request;
  const { messages, count } = withNewestImages(all, tooLargePlaceholder, largestImages);
  said.push(
    `The images of this request have more than ${sizeText(largestImages)} in all, so ${count === 1 ? "one of them is" : `${count} of them are`} left out, the oldest first.`,
  );
  return { ...request, messages };
};
