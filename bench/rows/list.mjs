/** The list of all chats, with very many of them. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { chatText } from "../lib/chats.mjs";
import { now, pause, until } from "../lib/clock.mjs";
import { ready, startEditor } from "../lib/editor.mjs";
import { spread } from "../lib/statistics.mjs";

const many = 10_000;

/** Whether a floating window has rows of chats. */
const isShown = `for _, win in ipairs(vim.api.nvim_list_wins()) do
  local buf = vim.api.nvim_win_get_buf(win)
  local is_list = vim.api.nvim_win_get_config(win).relative ~= ""
    and table.concat(vim.api.nvim_buf_get_lines(buf, 0, 5, false)):find("chat number", 1, true)
  if is_list then return true end
end
return false`;

async function openList(editor) {
  const begun = now();
  await editor.input(":Parley chats<CR>");
  await until("the list", () => editor.lua(isShown), 60_000);
  const time = now() - begun;
  await editor.input("<Esc><Esc>");
  await pause(300);
  return time;
}

async function writeChats(folder) {
  await mkdir(folder, { recursive: true });
  for (let first = 0; first < many; first += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const number = first + index;
        const text = chatText(2).replace("topic: bench", `topic: chat number ${number}`);
        return writeFile(join(folder, `chat-${number}.md`), text);
      }),
    );
  }
}

export async function listRows({ nvim, server, runs }) {
  const { environment } = server;
  const editor = await startEditor(nvim, { kind: "parley", text: chatText(2), environment });
  await writeChats(dirname(editor.chat));
  await ready(editor);
  const first = await openList(editor);
  const later = [];
  for (let run = 0; run < runs; run += 1) later.push(await openList(editor));
  await editor.close();
  return [
    {
      what: "list of 10,000 chats, the first time, ms",
      budget: "≤ 1,000",
      parley: spread([first]),
    },
    { what: "— later, ms", budget: "≤ 100", parley: spread(later) },
  ];
}
