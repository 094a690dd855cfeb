/**
 * What Lua and the host say to each other (doc/architecture.md, "The wire"). Everything that comes in is
 * validated here, once; everything that goes out is called through `Editor`-shaped functions in lua.ts.
 */
import { z } from "zod";
import { approvalKeys } from "../transcript/decisions.ts";

const line = z.number().int().nonnegative();
const shownCall = z.object({ line, text: z.string(), tool: z.string(), effect: z.string() });

export const setupMessage = z.object({
  action: z.literal("setup"),
  root: z.string(),
  configuration: z.unknown().optional(),
  /** The keys as the person has them, by the names of the setting `keys`; none for one that was removed. */
  keys: z.record(z.string(), z.array(z.string())),
  config_dir: z.string(),
  state_dir: z.string(),
  data_dir: z.string(),
  log_dir: z.string(),
  cwd: z.string(),
  nvim: z.string(),
  /** Of the Lua half, which lives on in a Neovim that runs while its files are updated. */
  version: z.string().optional(),
});
export type SetupMessage = z.infer<typeof setupMessage>;

export const keyMessage = z.object({
  action: z.literal("key"),
  buf: z.number().int(),
  key: z.enum(approvalKeys),
  line,
  tick: z.number(),
  shown: z.array(shownCall),
  reason: z.string().optional(),
  listed: z.boolean().optional(),
});
export type KeyMessage = z.infer<typeof keyMessage>;

export const luaMessage = z.discriminatedUnion("action", [
  setupMessage,
  keyMessage,
  z.object({
    action: z.literal("attach"),
    buf: z.number().int(),
    path: z.string(),
    tick: z.number().optional(),
  }),
  z.object({ action: z.literal("detach"), buf: z.number().int() }),
  z.object({
    action: z.literal("respond"),
    buf: z.number().int(),
    line,
    tick: z.number().optional(),
  }),
  z.object({ action: z.literal("stop"), buf: z.number().int() }),
  z.object({ action: z.literal("stop_call"), buf: z.number().int(), line }),
  z.object({
    action: z.literal("offers"),
    server: z.string().optional(),
    prompts: z.boolean().optional(),
    models: z.boolean().optional(),
    tools: z.boolean().optional(),
  }),
  z.object({ action: z.literal("details"), buf: z.number().int(), line, text: z.string() }),
  z.object({ action: z.literal("retry"), buf: z.number().int(), line }),
  z.object({
    action: z.literal("command"),
    buf: z.number().int(),
    name: z.string(),
    args: z.array(z.string()).optional(),
    line: line.optional(),
  }),
  z.object({ action: z.literal("answer"), id: z.number().int(), value: z.unknown().optional() }),
  z.object({
    action: z.literal("chats"),
    id: z.number().int(),
    query: z.string(),
    /** The words are looked for in the texts of the chats. */
    texts: z.boolean(),
    /** The folders are read again first. */
    refresh: z.boolean(),
    /** All that fit, and not only as many as a window shows. */
    all: z.boolean().optional(),
  }),
  z.object({
    action: z.literal("chat_move"),
    path: z.string(),
    /** Absent: into the trash. */
    to: z.string().optional(),
  }),
  z.object({ action: z.literal("chat_next"), path: z.string() }),
  z.object({ action: z.literal("cwd"), cwd: z.string() }),
  z.object({ action: z.literal("saved"), buf: z.number().int() }),
  z.object({ action: z.literal("health"), id: z.number().int() }),
]);
export type LuaMessage = z.infer<typeof luaMessage>;

export const applyAnswer = z.object({
  status: z.enum(["applied", "stale", "differs", "gone", "failed"]),
  tick: z.number().optional(),
  message: z.string().optional(),
});
export const tipOpenAnswer = z.object({
  status: z.enum(["opened", "stale", "differs", "gone", "failed"]),
  id: z.number().optional(),
  tick: z.number().optional(),
  message: z.string().optional(),
});
export const tipWriteAnswer = z.object({
  status: z.enum(["written", "moved", "gone"]),
  prefix: z.string().optional(),
  line: z.number().optional(),
  tick: z.number().optional(),
});
export const showAnswer = z.object({ status: z.enum(["shown", "stale", "gone"]) });
export const saveAnswer = z.object({
  status: z.enum(["saved", "reloaded", "conflict", "unnamed", "failed"]),
  tick: z.number().optional(),
  message: z.string().optional(),
});
export const openAddressAnswer = z.object({
  status: z.enum(["opened", "failed"]),
  message: z.string().optional(),
});
