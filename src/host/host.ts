/** The host: one process, all chats. Takes Lua's messages, keeps a chat for each attached buffer. */

import { join } from "node:path";
import type { App } from "../app/app.ts";
import { type OpenOptions, openApp, packageVersion, readConfiguration } from "../app/open-app.ts";
import { TextGone } from "../conversation/editor.ts";
import { defaultKeys, type OwnKeys } from "../conversation/keys.ts";
import { messageOf } from "../shared/json.ts";
import { shownLines } from "../shared/visible.ts";
import { type ChatsCommand, createChats, trashFolderIn } from "./commands/chats.ts";
import { runCommand, showLog, showModels } from "./commands/commands.ts";
import {
  tellModels,
  tellPrompts,
  tellResources,
  tellServers,
  tellTools,
} from "./commands/completion.ts";
import { showDetails } from "./commands/details.ts";
import { healthReport } from "./commands/health.ts";
import { runMcpCommand } from "./commands/mcp-commands.ts";
import { showUsage } from "./commands/usage.ts";
import type { HostContext } from "./context.ts";
import { HostChat } from "./host-chat.ts";
import { log } from "./log.ts";
import type { Lua } from "./lua.ts";
import { type LuaMessage, luaMessage, type SetupMessage } from "./protocol.ts";
import { confirmation, createDialogue, createQuestions } from "./questions.ts";
import { createWorkspace } from "./workspace.ts";

export interface Host {
  receive(message: unknown): void;
  readonly bufferEvents: {
    lines(buffer: number, first: number, last: number, lines: string[], tick: number | null): void;
    tick(buffer: number, tick: number): void;
    detach(buffer: number): void;
  };
  ready(channel: number, ownProcess: boolean): Promise<void>;
  close(): Promise<void>;
}

function openOptions(message: SetupMessage, { lua, chats, notify, ask }: Running): OpenOptions {
  return {
    root: message.root,
    setup: message.configuration,
    workingDirectory: message.cwd,
    paths: {
      config: message.config_dir,
      data: message.data_dir,
      state: message.state_dir,
      log: message.log_dir,
    },
    log: log.info,
    notify,
    person: {
      ...createDialogue(lua, ask),
      confirm: async (prompt) => (await ask(confirmation(prompt))) === true,
      secret: async (prompt) => {
        const text = await ask({ kind: "input", prompt, secret: true });
        return typeof text === "string" ? text : null;
      },
    },
    serversFile: null,
    chatPaths: () => [...chats.values()].map(({ path }) => path),
    workspace: createWorkspace(lua),
  };
}

interface Running extends HostContext {
  readonly chats: Map<number, HostChat>;
  /** Resolves with the first `setup` message, which Lua sends before anything else. */
  readonly app: Promise<App>;
  /** Of the chat folders, open or not. */
  readonly allChats: Promise<ChatsCommand>;
}

/** Lua stays in a running Neovim's memory when an update gives it another host. */
async function compareVersions(message: SetupMessage, notify: HostContext["notify"]) {
  const own = await packageVersion(message.root);
  if (message.version === undefined || message.version === own) return;
  const words = `Parley ${own} runs, but this Neovim still has ${message.version} in memory.`;
  notify("warn", `${words} Restart Neovim when it suits you.`);
}

/** Messages about a chat that no person waits for. */
const quietly: ReadonlySet<LuaMessage["action"]> = new Set(["attach", "detach", "saved"]);

export function createHost(lua: Lua): Host {
  const chats = new Map<number, HostChat>();
  const questions = createQuestions(lua);
  let appReady: (app: App) => void = () => {};
  const app = new Promise<App>((resolve) => {
    appReady = resolve;
  });
  const notify: HostContext["notify"] = (level, message) => {
    // What stands below the first line may be of a chat, or for the person's eyes alone.
    log.info(`${level}: ${message.split("\n", 1)[0]}`);
    // Words of servers, providers and files stand in it.
    const shown = shownLines(message.replaceAll("\t", "    ")).join("\n");
    lua.call("notify", level, shown).catch((error) => log.error("notify", error));
  };
  let ownKeys: OwnKeys = defaultKeys;
  const context: Running = {
    lua,
    chats,
    ask: questions.ask,
    app,
    allChats: app.then((opened) => chatsOf(lua, opened)),
    notify,
    ownKeys: () => ownKeys,
  };

  let isSetUp = false;
  const setup = async (message: SetupMessage) => {
    ownKeys = message.keys;
    const options = openOptions(message, context);
    if (isSetUp) return (await app).configure(await readConfiguration(options));
    isSetUp = true;
    await log.open(join(message.log_dir, "parley", "parley.log"));
    await compareVersions(message, notify);
    appReady(await openApp(options));
  };

  const handle = async (message: LuaMessage): Promise<void> => {
    if (message.action === "setup") return setup(message);
    if (message.action === "answer") return questions.answer(message.id, message.value);
    await dispatch(context, message);
  };

  return {
    receive(raw) {
      const message = luaMessage.safeParse(raw);
      if (!message.success) {
        notify("error", `Parley's host did not understand Neovim: ${message.error.message}`);
        return;
      }
      handle(message.data).catch((error: unknown) => {
        if (error instanceof TextGone) {
          const isAsked = "buf" in message.data && !quietly.has(message.data.action);
          if (isAsked) notify("info", "The chat was closed before Parley was done with it.");
          return;
        }
        log.error(`action ${message.data.action}`, error);
        const reason = messageOf(error);
        notify("error", `Parley could not do that (${message.data.action}): ${reason}`);
      });
    },
    bufferEvents: {
      lines: (buffer, ...event) => chats.get(buffer)?.editor.handleLines(...event),
      tick: (buffer, tick) => chats.get(buffer)?.editor.handleTick(tick),
      detach: (buffer) => chats.get(buffer)?.editor.handleDetach(),
    },
    async ready(channel, ownProcess) {
      if (!ownProcess) await lua.call("ready", channel);
    },
    async close() {
      for (const chat of chats.values()) chat.close();
      const opened = await Promise.race([app, Promise.resolve(null)]);
      await opened?.close();
    },
  };
}

function chatsOf(lua: Lua, app: App): ChatsCommand {
  return createChats({
    lua,
    folders: () => app.now.configuration.chat_dirs,
    stateFolder: app.options.stateFolder,
    trashFolder: trashFolderIn(app.options.stateFolder),
  });
}

type ChatMessage = Exclude<LuaMessage, { action: "setup" | "answer" }>;

async function dispatch(context: Running, message: ChatMessage): Promise<void> {
  const app = await context.app;
  switch (message.action) {
    case "cwd":
      await app.setWorkingDirectory(message.cwd);
      return;
    case "health":
      await context.lua.call(
        "health_report",
        message.id,
        await healthReport(app, context.chats.size),
      );
      return;
    case "attach":
      await attach(context, app, message.buf, message.path);
      return;
    case "detach":
      context.chats.get(message.buf)?.close();
      context.chats.delete(message.buf);
      await app.now.mcp.rootsChanged();
      return;
    case "command":
      if (message.name === "log") return showLog(context);
      if (message.name === "models") return showModels(context, app);
      if (message.name === "usage") return showUsage(context, app, message.args ?? []);
      if (message.name === "mcp") return runMcpCommand(context, app, message.args ?? []);
      await withChat(context, message.buf, (chat) => runCommand(context, app, chat, message));
      return;
    case "offers":
      if (message.models === true) return tellModels(context, app);
      if (message.prompts === true) return tellPrompts(context, app);
      if (message.tools === true) return tellTools(context, app);
      if (message.server !== undefined) return tellResources(context, app, message.server);
      return tellServers(context, app);
    case "chats":
      return (await context.allChats).list(message);
    case "chat_move":
      return (await context.allChats).move(message);
    case "chat_next":
      return (await context.allChats).next(message);
    case "details":
      await withChat(context, message.buf, (chat) => showDetails(context, app, chat, message));
      return;
    case "saved":
      await context.chats.get(message.buf)?.saved();
      await context.chats.get(message.buf)?.refresh();
      return;
    case "respond":
    case "stop":
    case "stop_call":
    case "retry":
    case "key":
      await withChat(context, message.buf, (chat) => actOn(chat, message));
      return;
  }
}

async function attach(context: Running, app: App, buffer: number, path: string): Promise<void> {
  const known = context.chats.get(buffer);
  if (known) return known.reattach(path);
  const chat = new HostChat(context, app, buffer, path);
  context.chats.set(buffer, chat);
  await chat.attach();
  await app.now.mcp.rootsChanged();
}

type ActionMessage = Extract<
  ChatMessage,
  { action: "respond" | "stop" | "stop_call" | "retry" | "key" }
>;

async function withChat(
  context: Running,
  buffer: number,
  act: (chat: HostChat) => void | Promise<void>,
): Promise<void> {
  const chat = context.chats.get(buffer);
  if (chat) return act(chat);
  context.notify("warn", "This buffer is not a Parley chat; :Parley attach makes it one.");
}

function actOn(chat: HostChat, message: ActionMessage): void | Promise<void> {
  switch (message.action) {
    case "respond":
      return chat.respond(message.line);
    case "retry":
      return chat.retry(message.line);
    case "stop":
      return chat.stop();
    case "stop_call":
      return chat.stopCall(message.line);
    case "key":
      return chat.press(message);
  }
}
