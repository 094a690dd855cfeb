/** Images of a chat that is renamed, branched or moved, as its model sees them. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import type { Reply } from "../support/live-model.ts";
import { oneNeovim } from "../support/neovim.ts";
import { bufferName } from "./chat-folder.ts";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** How often the image is in the request, and how often a text that names its file. */
const seen = ({ messages }: Reply) => {
  const request = JSON.stringify(messages);
  return { images: request.split(png).length - 1, texts: request.split(".files/").length - 1 };
};

/** A chat with an image that was typed and saved here. */
async function openWithImage(path: string): Promise<LiveChat> {
  const live = await openLiveChat({ path, chat: { text: `${header}💬: see\n` } });
  const { nvim } = live;
  await mkdir(`${nvim.chatPath}.files`);
  await writeFile(join(`${nvim.chatPath}.files`, "by-hand.png"), Buffer.from(png, "base64"));
  await nvim.input("Go![](chat.md.files/by-hand.png)<Esc>");
  await nvim.command("write");
  return live;
}

async function rename({ nvim }: LiveChat, to: string): Promise<void> {
  const from = String(await nvim.lua(bufferName));
  await nvim.command(`Parley rename ${to}`);
  const place = join(dirname(from), `${to}.md`);
  await nvim.until("the chat there", () => existsSync(place) && !existsSync(from));
  await nvim.until("its buffer too", async () => (await nvim.lua(bufferName)) === place);
  await nvim.untilText(new RegExp(`\\]\\(${to}\\.md\\.files/`));
}

async function answer(live: LiveChat): Promise<Reply> {
  const reply = await live.respond();
  reply.say("ok\n\n📝: ok\n");
  reply.end();
  await live.ended();
  return reply;
}

describe.each(oneNeovim)("in Neovim $version, an image", ({ path }) => {
  it("of a chat that got another name is still one's own, and is sent without a question", async () => {
    const live = await openWithImage(path);
    await rename(live, "second");
    await rename(live, "third");
    expect(seen(await answer(live))).toEqual({ images: 1, texts: 0 });
  });

  it("of an answered question is sent with the next one, in a branch too", async () => {
    const live = await openWithImage(path);
    const { nvim } = live;
    await answer(live);
    await rename(live, "second");
    await nvim.input("GAmore<Esc>");
    expect(seen(await answer(live))).toEqual({ images: 1, texts: 0 });
    await nvim.command("Parley branch");
    const isBranch = async () => /second-branch\.md$/.test(String(await nvim.lua(bufferName)));
    await nvim.until("the branch", isBranch);
    await nvim.input("GAand more<Esc>");
    expect(seen(await answer(live))).toEqual({ images: 1, texts: 0 });
    expect(await nvim.messages()).not.toContain("was not read");
  });

  it("of a question without an answer is one's own in a branch", async () => {
    const live = await openWithImage(path);
    const { nvim } = live;
    await nvim.command("Parley branch");
    const isBranch = async () => /chat-branch\.md$/.test(String(await nvim.lua(bufferName)));
    await nvim.until("the branch", isBranch);
    await nvim.untilText(/chat-branch\.md\.files/);
    expect(seen(await answer(live))).toEqual({ images: 1, texts: 0 });
  });
});
