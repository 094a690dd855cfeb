/** The host: one process for all chats. Handles Lua's messages, and keeps a chat for each attached buffer. */

import { join } from "node:path";
import type { App } from "../app/app.ts";
import { type OpenOptions, openApp, packageVersion } from "../app/open-app.ts";
import { TextGone } from "../conversation/editor.ts";
import { defaultKeys, type OwnKeys } from "../conversation/keys.ts";
import { saveText } from "../conversation/turn/save-before.ts";
import { messageOf } from "../shared/json.ts";
import { forgetKept } from "../shared/kept.ts";
import { Refusal } from "../shared/refusal.ts";

import { systemSentence } from "../system/system-error.ts";
import { confirmation, createDialogue, createQuestions } from "./asking/questions.ts";
import type { HostChat } from "./chat/host-chat.ts";
import { type ChatsCommand, createChats } from "./commands/chats.ts";
import type { HostContext } from "./context.ts";
import { watchIdleMemory } from "./idle-memory.ts";
import { log } from "./log.ts";
import type { Lua } from "./lua.ts";
import { type Running, readMessage, type SetupMessage, type Starting } from "./messages.ts";
import { createReconfigure } from "./reconfigure.ts";
import { shownMessage } from "./shown-message.ts";
import { createWorkspace } from "./workspace.ts";

export interface Host {
  /** Handles a notification from Lua. */
  receive(message: unknown): void;
  ready(channel: number, ownProcess: boolean): Promise<void>;
  close(): Promise<void>;
}

type Chats = Map<number, HostChat>;

function openOptions(
  message: SetupMessage,
  chats: Chats,
  { lua, notify, ask }: HostContext,
): OpenOptions {
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
    user: {
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

/** The old Lua half stays in a running Neovim's memory when an update installs a new host. */
async function compareVersions(message: SetupMessage, notify: HostContext["notify"]) {
  const own = await packageVersion(message.root);
  if (message.version === undefined || message.version === own) return;
  const words = `Parley ${own} runs, but this Neovim still has ${message.version} in memory.`;
  notify("warn", `${words} Restart Neovim when it suits you.`);
}

function createNotify(lua: Lua): HostContext["notify"] {
  return (level, message, buf) => {
    // Lines after the first may contain text of a chat, or be for the user only.
    log.info(`${level}: ${message.split("\n", 1)[0]}`);
    const said = { level, message: shownMessage(message) };
    const shown = buf === undefined ? lua.call("notify", said) : lua.call("tell", { buf, ...said });
    shown.catch((error) => log.error("notify", error));
  };
}

/** Has Lua read config.json again; null if it cannot, as an old Lua half: the host's options apply all the same. */
async function keysAgain(lua: Lua, notify: HostContext["notify"]): Promise<OwnKeys | null> {
  try {
    return (await lua.call("configured", {})).keys;
  } catch (error) {
    log.error("configured", error);
    notify("warn", "The keys and colours of config.json apply when you restart Neovim.");
    return null;
  }
}

function watchMemory(chats: Chats, keepCode: () => void) {
  return watchIdleMemory({
    keepCode() {
      forgetKept();
      keepCode();
    },
    collect: globalThis.gc ?? null,
    residentBytes: process.memoryUsage.rss,
    isBusy: () =>
      [...chats.values()].some(({ chat, ahead }) => chat.active !== null || ahead.isWriting()),
  });
}

/** `keepCode` is called in quiet moments. */
export function createHost(lua: Lua, keepCode: () => void): Host {
  const chats: Chats = new Map();
  const questions = createQuestions(lua);
  const notify = createNotify(lua);
  const memory = watchMemory(chats, keepCode);
  let ownKeys: OwnKeys = defaultKeys;
  const context: HostContext = { lua, ask: questions.ask, notify, ownKeys: () => ownKeys };

  let isSetUp = false;
  let open: (running: Running) => void = () => {};
  const opened = new Promise<Running>((resolve) => {
    open = resolve;
  });
  const configuration = createReconfigure(opened, async () => {
    ownKeys = (await keysAgain(lua, notify)) ?? ownKeys;
  });
  const setup = async (message: SetupMessage) => {
    ownKeys = message.keys;
    const sources = openOptions(message, chats, context);
    configuration.use(sources);
    if (isSetUp) return configuration.apply();
    isSetUp = true;
    await log.open(join(message.log_dir, "parley", "parley.log"));
    await compareVersions(message, notify);
    const app = await openApp(sources);
    const host = {
      ...context,
      app,
      isUsed: memory.used,
      configurationSaved: configuration.saved,
      lookAtConfiguration: configuration.look,
    };
    open({ ...host, chats, allChats: chatsOf(lua, app, chats) });
  };
  let allSaved: Promise<unknown> = Promise.resolve();
  const starting: Starting = { ...context, setup, answer: questions.answer, opened };

  return {
    receive(raw) {
      memory.used();
      const message = readMessage(raw);
      if ("mistake" in message) {
        notify("error", `Parley's host did not understand Neovim: ${message.mistake}`);
        return;
      }
      const { action, isAsked, act } = message;
      const done = Promise.resolve(act(starting)).catch((error: unknown) => {
        if (error instanceof TextGone) {
          if (isAsked) notify("info", "The chat was closed before Parley finished.");
          return;
        }
        log.error(`action ${action}`, error);
        notify("error", failureText(action, error));
      });
      if (action === "saved") allSaved = Promise.all([allSaved, done]);
    },
    async ready(channel, ownProcess) {
      if (!ownProcess) await lua.call("ready", { channel });
    },
    async close() {
      // Waits until the origin of chats that were just saved is recorded.
      await allSaved;
      for (const chat of chats.values()) chat.close();
      const running = await Promise.race([opened, Promise.resolve(null)]);
      await running?.app.close();
    },
  };
}

function failureText(action: string, error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const refused = systemSentence(error);
  if (refused !== null) return `That did not work: ${refused}`;
  // With <C-c>, at a question of Neovim's own, such as the one about a swap file.
  if (messageOf(error).includes("Keyboard interrupt")) return "That was interrupted.";
  return `Parley could not do that (${action}): ${messageOf(error)}`;
}

function chatsOf(lua: Lua, app: App, chats: Chats): ChatsCommand {
  const openAt = (path: string) => [...chats.values()].find((chat) => chat.path === path);
  return createChats({
    lua,
    folders: () => app.now.configuration.chat_dirs,
    stateFolder: app.options.stateFolder,
    open(path) {
      const open = openAt(path)?.chat;
      if (open === undefined) return null;
      return {
        newUndoGroup: () => open.newUndoGroup(),
        edit: (undo, plan) => open.edit(undo, plan),
        save: () => saveText(open),
      };
    },
    async inOrder(path, work) {
      const chat = openAt(path);
      await (chat === undefined ? work() : chat.commands.next(0, work));
    },
    keep: (written) => app.kept(written),
    log: log.info,
  });
}
