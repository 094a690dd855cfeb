/** `:Parley` subcommands that need the host. */
import type { App } from "../../app/app.ts";
import { allProblems } from "../../app/chat-problems.ts";
import { transcriptModel } from "../../app/configuration/default-model.ts";
import { askedModels, knownModels } from "../../app/models/ask-servers.ts";
import { modelChoices, modelLines } from "../../app/models/model-lines.ts";
import { previewRequest } from "../../app/preview.ts";
import { type ChatUsage, usageText } from "../../conversation/usage.ts";
import { modelFactsOf } from "../../library/model-facts.ts";
import { shownLines } from "../../shared/visible.ts";
import { setHeaderValue } from "../../transcript/edits/header-edits.ts";
import type { HostContext } from "../context.ts";
import type { HostChat } from "../host-chat.ts";
import { log } from "../log.ts";
import type { LuaMessage } from "../protocol.ts";
import { chooseFix } from "./fixes.ts";
import { insertImage } from "./image-command.ts";
import { chooseAgent, chooseSystemPrompt } from "./preset-commands.ts";
import { insertPrompt } from "./prompt-command.ts";

type CommandMessage = Extract<LuaMessage, { action: "command" }>;

/** Runs one subcommand on a chat. */
export async function runCommand(
  context: HostContext,
  app: App,
  chat: HostChat,
  { name, args: words = [], line = 0 }: CommandMessage,
): Promise<void> {
  switch (name) {
    case "preview":
      return preview(context, app, chat, line);
    case "check":
      return check(context, app, chat);
    case "fix":
      return chooseFix(context, chat, line);
    case "model":
      return chooseModel(context, app, chat, words[0] ?? null);
    case "agent":
      await chooseAgent(context, app, chat, words.join(" ") || null);
      return chat.refresh();
    case "system_prompt":
      await chooseSystemPrompt(context, app, chat, words.join(" ") || null);
      return chat.refresh();
    case "image":
      return insertImage(context, app, chat, words[0] ?? "clipboard", line);
    case "prompt":
      return insertPrompt(context, app, chat, { wanted: words.join(" "), line });
    case "tools":
      return showTools(context, chat);
    case "status":
      return showStatus(context, app, chat);
    default:
      context.notify(
        "warn",
        `Parley has no command ${JSON.stringify(name)}; :Parley help lists them.`,
      );
  }
}

export async function showLog(context: HostContext): Promise<void> {
  await log.settled();
  const path = log.path();
  if (path === null) context.notify("info", "Nothing was logged yet.");
  else await context.lua.call("open", path, { title: "log" });
}

async function preview(
  context: HostContext,
  app: App,
  chat: HostChat,
  line: number,
): Promise<void> {
  const { transcript } = await chat.chat.read();
  const shown = await previewRequest(chat.sources(), app.now.models, transcript, {
    line,
    session: chat.chat.session,
  });
  if ("message" in shown) {
    context.notify("warn", shown.message);
    return;
  }
  const text = JSON.stringify(shown, null, 2).split("\n");
  await context.lua.call("open", text, { title: "preview", filetype: "json" });
}

async function check(context: HostContext, app: App, chat: HostChat): Promise<void> {
  await chat.refresh();
  const { transcript } = await chat.chat.read();
  const problems = allProblems(transcript, app.now.configuration);
  if (problems.length === 0) {
    context.notify("info", "This chat reads without a problem.");
    return;
  }
  const first = problems[0];
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  context.notify(
    "warn",
    `${count}; the first in line ${(first?.line ?? 0) + 1}: ${first?.message}`,
  );
}

/** Needs no chat. */
export async function showModels(context: HostContext, app: App): Promise<void> {
  const text = modelLines(await askedModels(app.modelServers, { isWanted: true }));
  await context.lua.call("open", text, { title: "models" });
}

function modelSources({ now: { configuration }, options: { environment } }: App) {
  return { configuration, environment };
}

async function chooseModel(
  context: HostContext,
  app: App,
  chat: HostChat,
  wanted: string | null,
): Promise<void> {
  const items = modelChoices(await knownModels(app.modelServers));
  const chosen =
    wanted ?? (await context.ask({ kind: "select", prompt: "Model of this chat", items }));
  if (typeof chosen !== "string" || chosen === "") return;
  // Behind the name of a model without a key stands which one it wants.
  const [asked = ""] = chosen.split(" ");
  if (!/^[^/\s]+\/\S+$/.test(asked)) {
    context.notify(
      "warn",
      `A model is named provider/id, such as mock/demo; ${JSON.stringify(asked)} is not.`,
    );
    return;
  }
  const { chat: core } = chat;
  await core.edit(core.newUndoGroup(), (transcript) => ({
    edits: setHeaderValue(transcript, "model", asked),
  }));
  await chat.refresh();
}

async function showTools(context: HostContext, chat: HostChat): Promise<void> {
  const { transcript } = await chat.chat.read();
  const tools = [...(await chat.chat.ports.tools.list(transcript)).tools.values()];
  const text =
    tools.length === 0
      ? ["No tools are offered in this chat."]
      : tools.flatMap((tool) => [
          `# ${tool.name}`,
          tool.server === null ? "" : `server: ${tool.server}`,
          ...shownLines(tool.description),
          ...JSON.stringify(tool.inputSchema, null, 2).split("\n"),
          "",
        ]);
  await context.lua.call("open", text, { title: "tools", filetype: "markdown" });
}

async function showStatus(context: HostContext, app: App, chat: HostChat): Promise<void> {
  const { transcript } = await chat.chat.read();
  const model = transcriptModel(transcript, modelSources(app));
  const { contextWindow } = await modelFactsOf(model, app.now.configuration.prices);
  const { phase, usage } = chat.chat;
  const doing = phase.type === "idle" ? "nothing is under way" : phase.type;
  const count =
    transcript.exchanges.length === 1 ? "1 exchange" : `${transcript.exchanges.length} exchanges`;
  const lines = [`${model.provider}/${model.id}; ${count}; ${doing}`];
  if (usage.answer.requests > 0) lines.push(`last answer: ${usageText(usage.answer)}`);
  if (usage.chat.requests > 0)
    lines.push(`this chat, since it was opened: ${usageText(usage.chat)}`);
  lines.push(contextText(contextWindow, usage.last));
  context.notify("info", lines.join("\n"));
}

function contextText(window: number | null, last: ChatUsage["last"]): string {
  const used = last === null ? null : last.usage.input + last.usage.output;
  if (window === null) {
    const size = used === null ? "" : `; the last request took ${used} tokens`;
    return `context window: not known${size}`;
  }
  const share =
    used === null ? "" : `, ${Math.round((used / window) * 100)} % taken by the last request`;
  return `context window: ${window} tokens${share}`;
}
