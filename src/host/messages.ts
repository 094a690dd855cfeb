/**
 * The messages from Lua to the host: one row each, with its fields and its action. The Lua classes are generated from
 * it (`npm run docs`). A new message needs a row here and the place in Lua that sends it.
 */

import * as z from "zod";
import { ownValue } from "../shared/json.ts";
import { plainPath } from "../system/paths.ts";
import { approvalKeys } from "../transcript/decisions.ts";
import { HostChat } from "./chat/host-chat.ts";
import type { ChatsCommand } from "./commands/chats.ts";
import { chatCommands, hostCommands, turnCommands } from "./commands/commands.ts";
import {
  sendModels,
  sendPrompts,
  sendResources,
  sendServers,
  sendTools,
} from "./commands/completion.ts";
import { healthReport } from "./commands/health.ts";
import { showDetails } from "./commands/turns/details.ts";
import type { HostContext, OpenHost } from "./context.ts";

/** The host after `setup`. */
export interface Running extends OpenHost {
  readonly chats: Map<number, HostChat>;
  /** The chats in the chat folders, open or not. */
  readonly allChats: ChatsCommand;
}

/** The host as its messages see it, from the first one on. */
export interface Starting extends HostContext {
  /** Applies the editor's configuration, at the start and on changes. */
  setup(message: SetupMessage): Promise<void>;
  /** Delivers the user's answer to an `ask`. */
  answer(id: number, value: unknown): void;
  /** Resolves with the first `setup`, which Lua sends before anything else. */
  readonly opened: Promise<Running>;
}

type Done = void | Promise<void>;

interface Message {
  readonly fields: z.ZodObject;
  /** Whether the user waits for its outcome in this chat. */
  readonly isAsked: boolean;
  /** Returns the action of the message, or the error if it is invalid. */
  read(raw: unknown): ((host: Starting) => Done) | z.ZodError;
}

function message<Fields extends z.ZodRawShape>(
  shape: Fields,
  act: (host: Starting, message: z.output<z.ZodObject<Fields>>) => Done,
): Message {
  const fields = z.object(shape);
  return {
    fields,
    isAsked: false,
    read(raw) {
      const found = fields.safeParse(raw);
      return found.success ? (host) => act(host, found.data) : found.error;
    },
  };
}

function hostMessage<Fields extends z.ZodRawShape>(
  shape: Fields,
  act: (host: Running, message: z.output<z.ZodObject<Fields>>) => Done,
): Message {
  return message(shape, async (host, received) => act(await host.opened, received));
}

const buf = z.int();
/** With the separators that the host uses, however Neovim writes them. */
const path = z.string().overwrite((text) => plainPath(text));
/** Zero-based. */
const line = z.int().nonnegative();
const tick = z.number();

/** A message about the chat in a buffer; reports a buffer that is not a chat. */
function chatMessage<Fields extends z.ZodRawShape>(
  shape: Fields,
  act: (chat: HostChat, message: z.output<z.ZodObject<Fields>>) => Done,
): Message {
  const own = z.object(shape);
  const where = z.object({ buf });
  return {
    fields: where.extend(shape),
    isAsked: true,
    read(raw) {
      const found = own.safeParse(raw);
      const place = where.safeParse(raw);
      if (!found.success) return found.error;
      if (!place.success) return place.error;
      return async (host) =>
        withChat(await host.opened, place.data.buf, (chat) => act(chat, found.data));
    },
  };
}

const asked = (row: Message): Message => ({ ...row, isAsked: true });

function withChat(host: Running, buffer: number, act: (chat: HostChat) => Done): Done {
  const chat = host.chats.get(buffer);
  if (chat) return act(chat);
  return host.notify("warn", "This buffer is not a chat. :Parley attach makes it one.");
}

const setupShape = {
  root: z.string(),
  configuration: z.unknown().optional(),
  /** The keys as the user has mapped them, by name in the `keys` setting; none for a key that was removed. */
  keys: z.record(z.string(), z.array(z.string())),
  config_dir: z.string(),
  state_dir: z.string(),
  data_dir: z.string(),
  log_dir: z.string(),
  cwd: path,
  /** Unused, but the host of 0.1.0 rejects a setup without it, and that host still runs where the next build fails. */
  nvim: z.string().optional(),
  /** Version of the Lua half, which stays loaded in a running Neovim while its files are updated. */
  version: z.string().optional(),
};
export type SetupMessage = z.output<z.ZodObject<typeof setupShape>>;

const stoppable = { isStoppable: true };

export const messages = {
  setup: message(setupShape, (host, received) => host.setup(received)),
  configuration_saved: hostMessage({}, (host) => host.configurationSaved()),
  key: chatMessage(
    {
      key: z.enum(approvalKeys),
      line,
      tick,
      shown: z.array(z.object({ line, text: z.string(), tool: z.string(), effect: z.string() })),
      reason: z.string().optional(),
    },
    (chat, received) => {
      chat.editor.expect(received.tick);
      return chat.commands.next(
        received.line,
        (_, stopped) => chat.press(received, stopped),
        stoppable,
      );
    },
  ),
  attach: hostMessage({ buf, path }, attach),
  detach: hostMessage({ buf }, async (host, received) => {
    host.chats.get(received.buf)?.close();
    host.chats.delete(received.buf);
    await host.app.now.mcp.rootsChanged();
  }),
  respond: chatMessage({ line, tick: tick.optional() }, (chat, received) => {
    if (received.tick !== undefined) chat.editor.expect(received.tick);
    return chat.commands.next(received.line, (at, stopped) => chat.respond(at, stopped), stoppable);
  }),
  /** A list of open calls was opened that were drawn without their tools, since their servers were not started. */
  list_tools: chatMessage({}, (chat) => chat.servers.forList()),
  stop: chatMessage({}, (chat) => chat.stop()),
  stop_call: chatMessage({ line }, (chat, received) => chat.stopCall(received.line)),
  /** Asks what there is to complete: the servers, resources of one, prompts, models or tools. */
  complete: hostMessage(
    {
      server: z.string().optional(),
      prompts: z.boolean().optional(),
      models: z.boolean().optional(),
      tools: z.boolean().optional(),
    },
    (host, { server, prompts, models, tools }) => {
      if (tools === true) return sendTools(host);
      if (models === true) return sendModels(host);
      if (prompts === true) return sendPrompts(host);
      return server === undefined ? sendServers(host) : sendResources(host, server);
    },
  ),
  /** `text` is the line as it was on screen. */
  details: chatMessage({ line, text: z.string() }, showDetails),
  retry: chatMessage({ line }, (chat, received) =>
    chat.commands.next(received.line, (at, stopped) => chat.retry(at, stopped), stoppable),
  ),
  command: asked(
    hostMessage(
      { buf, name: z.string(), args: z.array(z.string()).optional(), line: line.optional() },
      (host, { buf: buffer, name, args: words = [], line: at = 0 }) => {
        if (Object.hasOwn(hostCommands, name)) return hostCommands[name]?.(host, words);
        return withChat(host, buffer, (chat) => {
          const command = ownValue(chatCommands, name);
          if (command !== undefined) {
            const isStoppable = turnCommands.has(name);
            const act = (moved: number, stopped: AbortSignal) =>
              command(chat, words, moved, stopped);
            return chat.commands.next(at, act, { isStoppable });
          }
          const shown = JSON.stringify(name);
          return host.notify("warn", `Parley has no command ${shown}; :Parley help lists them.`);
        });
      },
    ),
  ),
  answer: message({ id: z.int(), value: z.unknown().optional() }, (host, { id, value }) =>
    host.answer(id, value),
  ),
  chats: hostMessage(
    {
      id: z.int(),
      query: z.string(),
      /** Whether to search the texts of the chats. */
      texts: z.boolean(),
      /** Whether to read the folders again first. */
      refresh: z.boolean(),
      /** Whether to send all matches, not only as many as a window shows. */
      all: z.boolean().optional(),
    },
    (host, received) => host.allChats.list(received),
  ),
  /**
   * Moves a chat to a folder, or renames it in its folder to a name as typed; without either, moves it to the trash.
   * `tick`: the changedtick of the text that was saved before, where the chat is open.
   */
  chat_move: hostMessage(
    {
      path,
      folder: path.optional(),
      name: z.string().optional(),
      tick: z.number().optional(),
    },
    (host, received) => host.allChats.move(received),
  ),
  /** Replaces the tags of a chat, as typed. */
  chat_tags: hostMessage({ path, tags: z.string() }, (host, received) =>
    host.allChats.tag(received),
  ),
  chat_next: hostMessage({ path }, (host, received) => host.allChats.next(received)),
  cwd: hostMessage({ cwd: path }, ({ app }, { cwd }) => app.setWorkingDirectory(cwd)),
  saved: hostMessage({ buf }, async ({ chats }, received) => {
    await chats.get(received.buf)?.saved();
    await chats.get(received.buf)?.refresh();
  }),
  health: hostMessage({ id: z.int() }, async (host, { id }) => {
    const report = await healthReport(host.app, host.chats.size);
    await host.lua.call("health_report", { id, report });
  }),
} satisfies Readonly<Record<string, Message>>;

async function attach(
  host: Running,
  { buf: buffer, path }: { readonly buf: number; readonly path: string },
): Promise<void> {
  const known = host.chats.get(buffer);
  if (known) return known.reattach(path);
  const chat = new HostChat(host, buffer, path);
  host.chats.set(buffer, chat);
  await chat.attach();
  await host.app.now.mcp.rootsChanged();
}

const named = z.object({ action: z.string() });

export type ParsedMessage =
  | { readonly action: string; readonly isAsked: boolean; act(host: Starting): Done }
  | { readonly mistake: string };

/** Parses a notification from Lua. */
export function readMessage(raw: unknown): ParsedMessage {
  const action = named.safeParse(raw).data?.action ?? "";
  const rows: Readonly<Record<string, Message>> = messages;
  const row = ownValue(rows, action);
  if (row === undefined) return { mistake: `there is no message ${JSON.stringify(action)}` };
  const read = row.read(raw);
  return typeof read === "function"
    ? { action, isAsked: row.isAsked, act: read }
    : { mistake: z.prettifyError(read).replaceAll("\n", " ") };
}
