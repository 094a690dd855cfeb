/** `:Parley` subcommands that need the host. */
import { migrationReport } from "../../app/chats/migration.ts";
import { allProblems } from "../../app/configuration/chat-problems.ts";
import { transcriptModel } from "../../app/configuration/default-model.ts";
import type { Configuration } from "../../app/configuration/options.ts";
import { askedModels, knownModels } from "../../app/models/ask-servers.ts";
import { modelChoices, modelLines } from "../../app/models/model-lines.ts";
import { servedFactsOf } from "../../app/models/served-facts.ts";
import { previewRequest } from "../../app/open-chat/preview.ts";
import { decidableExchanges, openCalls } from "../../conversation/decide/next-step.ts";
import {
  formatModelName,
  modelNameAdvice,
  parseModelName,
} from "../../conversation/settings/model-name.ts";
import { type ChatUsage, contextShare, usageText } from "../../conversation/usage.ts";
import { waitingText } from "../../conversation/waiting-text.ts";
import { allVendors } from "../../providers/vendors/vendors.ts";
import { counted } from "../../shared/counted.ts";
import { nearestWord } from "../../shared/nearest.ts";
import { visible } from "../../shared/visible.ts";
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { HostChat } from "../chat/host-chat.ts";
import { phaseWords } from "../chat/view.ts";
import type { OpenHost } from "../context.ts";
import { log } from "../log.ts";
import { exportCommand } from "./export.ts";
import { chooseFix } from "./fixes.ts";
import { insertImage } from "./image-command.ts";
import { runMcpCommand } from "./mcp-commands.ts";
import { chooseAgent, chooseSystemPrompt } from "./preset-commands.ts";
import { insertPrompt } from "./prompt-command.ts";
import { rememberedLine, showRemembered } from "./remembered.ts";
import { editTags } from "./tags.ts";
import { toolBoard } from "./tool-board.ts";
import { branch, showTree } from "./turns/branch.ts";
import { outline } from "./turns/outline.ts";
import { quote } from "./turns/quote.ts";
import { respondAll } from "./turns/respond-all.ts";
import { showUsage } from "./usage.ts";
import { webSearch } from "./web-search.ts";

/** Commands that need no chat, by name. */
export const hostCommands: Readonly<
  Record<string, (host: OpenHost, words: readonly string[]) => Promise<void>>
> = {
  log: showLog,
  models: showModels,
  usage: showUsage,
  mcp: runMcpCommand,
};

type ChatCommand = (
  chat: HostChat,
  words: readonly string[],
  line: number,
  stopped: AbortSignal,
) => Promise<void>;

/** Commands that answer questions: a stop that comes before their first turn is meant for them. */
export const turnCommands: ReadonlySet<string> = new Set(["respond_all"]);

/** Commands of a chat, by name; `line` is where the cursor was. */
export const chatCommands: Readonly<Record<string, ChatCommand>> = {
  preview: (chat, _, line) => preview(chat, line),
  check,
  migrate,
  fix: (chat, _, line) => chooseFix(chat, line),
  model: (chat, [wanted = null]) => chooseModel(chat, wanted),
  async agent(chat, words) {
    await chooseAgent(chat, words.join(" ") || null);
    await chat.refresh();
  },
  async system_prompt(chat, words) {
    await chooseSystemPrompt(chat, words.join(" ") || null);
    await chat.refresh();
  },
  image: (chat, [word = "clipboard"], line) => insertImage(chat, word, line),
  prompt: (chat, words, line) => insertPrompt(chat, { wanted: words.join(" "), line }),
  export: exportCommand,
  tags: editTags,
  branch: (chat, _, line) => branch(chat, line),
  tree: showTree,
  outline,
  // Loaded on first use, as the tools are.
  changes: async (chat, _, line) => (await import("./turns/changes.ts")).showChanges(chat, line),
  apply: async (chat, words, line) =>
    (await import("./turns/apply.ts")).applyBlock(chat, words, line),
  "undo-edits": async (chat, _, line) => (await import("./turns/changes.ts")).undoEdits(chat, line),
  tools: toolBoard,
  quote,
  web_search: webSearch,
  remembered: showRemembered,
  respond_all: (chat, _, line, stopped) => respondAll(chat, line, stopped),
  status: showStatus,
};

async function migrate(chat: HostChat): Promise<void> {
  const { transcript } = await chat.chat.read();
  const { host } = chat;
  const problems = allProblems(transcript, host.app.now.configuration);
  const what = migrationReport(transcript, problems).map(visible);
  await host.lua.call("open", { what, options: { title: "migrate", filetype: "markdown" } });
}

async function showLog(host: OpenHost): Promise<void> {
  await log.settled();
  const path = log.path();
  if (path === null) host.notify("info", "Nothing was logged yet.");
  else await host.lua.call("open", { what: path, options: { title: "log" } });
}

async function preview(chat: HostChat, line: number): Promise<void> {
  const { transcript } = await chat.chat.read();
  const shown = await previewRequest(chat.sources(), chat.host.app.now.models, transcript, {
    line,
    session: chat.chat.session,
  });
  if ("message" in shown) {
    chat.host.notify("warn", shown.message);
    return;
  }
  const text = JSON.stringify(shown, null, 2).split("\n");
  await chat.host.lua.call("open", { what: text, options: { title: "preview", filetype: "json" } });
}

async function check(chat: HostChat): Promise<void> {
  await chat.refresh();
  const { transcript } = await chat.chat.read();
  const problems = allProblems(transcript, chat.host.app.now.configuration);
  if (problems.length === 0) {
    chat.host.notify("info", "This chat has no problems.");
    return;
  }
  const first = problems[0];
  chat.host.notify(
    "warn",
    `${counted(problems.length, "problem")}; the first in line ${(first?.line ?? 0) + 1}: ${first?.message}`,
  );
}

async function showModels(host: OpenHost): Promise<void> {
  const text = modelLines(await askedModels(host.app.modelServers, { isWanted: true }));
  await host.lua.call("open", { what: text, options: { title: "models" } });
}

function modelSources({ now: { configuration }, options: { environment } }: OpenHost["app"]) {
  return { configuration, environment };
}

async function chooseModel(chat: HostChat, wanted: string | null): Promise<void> {
  const items = modelChoices(await knownModels(chat.host.app.modelServers));
  const chosen =
    wanted ?? (await chat.host.ask({ kind: "select", prompt: "Model of this chat", items }));
  if (typeof chosen !== "string" || chosen === "") return;
  // The name of a model without a key is followed by the key that it needs.
  const [asked = ""] = chosen.split(" ");
  const model = parseModelName(asked);
  if (model === null) {
    chat.host.notify(
      "warn",
      `${JSON.stringify(asked)} is not the name of a model: ${modelNameAdvice(asked)}.`,
    );
    return;
  }
  const refusal = unknownVendor(model.provider, chat.host.app.now.configuration);
  if (refusal !== null) {
    chat.host.notify("warn", refusal);
    return;
  }
  const { chat: core } = chat;
  await core.edit(core.newUndoGroup(), (transcript) => ({
    edits: setHeaderValue(transcript, "model", asked),
  }));
  await chat.refresh();
}

/** Reports an unknown vendor when the model is chosen, not only when it is asked; null: the vendor exists. */
function unknownVendor(name: string, { providers }: Configuration): string | null {
  const known = [...allVendors(providers).map(({ id }) => id), "mock"];
  if (known.includes(name)) return null;
  const near = nearestWord(name, known);
  const meant = near === null ? "" : ` Did you mean ${near}?`;
  return `There is no vendor "${visible(name)}", so the model was not changed.${meant} :Parley models lists them; a server of your own gets its address by providers.${visible(name)}.base_url in the configuration.`;
}

async function showStatus(chat: HostChat): Promise<void> {
  const { transcript } = await chat.chat.read();
  const model = transcriptModel(transcript, modelSources(chat.host.app));
  const { contextWindow } = await servedFactsOf(chat.host.app.modelServers, model);
  const { phase, usage, session } = chat.chat;
  const open = decidableExchanges(transcript, session).flatMap((exchange) =>
    openCalls(transcript, exchange, session),
  );
  const doing = phaseWords[phase.type] || waitingText(open) || "nothing is running";
  // The empty question that is still to be written does not count.
  const begun = transcript.exchanges.filter(
    ({ question, answer }) => question.text !== "" || answer,
  );
  const count = counted(begun.length, "exchange");
  const lines = [`${formatModelName(model)}; ${count}; ${doing}`];
  if (usage.answer.requests > 0) lines.push(`last answer: ${usageText(usage.answer)}`);
  if (usage.chat.requests > 0)
    lines.push(`this chat, since it was opened: ${usageText(usage.chat)}`);
  lines.push(contextText(contextWindow, usage.last));
  const remembered = await rememberedLine(chat);
  if (remembered !== null) lines.push(remembered);
  chat.host.notify("info", lines.join("\n"));
}

function contextText(window: number | null, last: ChatUsage["last"]): string {
  const used = last === null ? null : last.usage.input + last.usage.output;
  if (window === null) {
    const size = used === null ? "" : `; the last request took ${used} tokens`;
    return `context window: not known${size}`;
  }
  const taken = contextShare(last === null ? null : { ...last, window });
  const share = taken === null ? "" : `, ${Math.round(taken * 100)} % taken by the last request`;
  return `context window: ${window} tokens${share}`;
}
