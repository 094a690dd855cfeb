/** What tests of the rules in doc/cursor.md share: a chat on a screen of 80×24, and where the cursor is. */
import { z } from "zod";
import { asked, type LiveChat, type openLiveChat, openNextLiveChat } from "./live-chat.ts";
import type { TestNeovim } from "./neovim.ts";
import { type Screen, watchScreen } from "./screen.ts";

export interface ShownChat {
  readonly live: LiveChat;
  readonly nvim: TestNeovim;
  readonly screen: Screen;
}

/** Opens a chat with this text, as it is seen at 80×24. */
export async function openShownChat(
  path: string,
  text = asked,
  open: typeof openLiveChat = openNextLiveChat,
): Promise<ShownChat> {
  const live = await open({ path, chat: { text } });
  await live.nvim.client.request("nvim_ui_try_resize", [80, 24]);
  return { live, nvim: live.nvim, screen: await watchScreen(live.nvim) };
}

export const firstCalls = [
  { id: "call_1", query: "say:one" },
  { id: "call_2", query: "say:two" },
];

/** Has the model answer with these calls, and waits until the cursor is on the first. */
export async function proposeCalls({ live, nvim }: ShownChat, calls = firstCalls): Promise<void> {
  const reply = await live.respond();
  reply.call(...calls);
  reply.end("tool_calls");
  await live.ended();
  await untilOn(nvim, /^❓.*call_1/u);
}

const where = z.object({ line: z.string(), col: z.number(), last: z.number(), mode: z.string() });

export async function look(nvim: TestNeovim): Promise<z.infer<typeof where>> {
  return where.parse(
    await nvim.lua(`return {
      line = vim.fn.getline("."), col = vim.fn.col("."),
      last = vim.fn.col("$"), mode = vim.api.nvim_get_mode().mode,
    }`),
  );
}

export const untilOn = (nvim: TestNeovim, line: RegExp) =>
  nvim.until(`the cursor on ${line}`, async () => line.test((await look(nvim)).line));
