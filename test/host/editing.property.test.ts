/** A user edits anywhere, in every way, while an answer streams: both texts stay whole. */

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseTranscript } from "../../src/transcript/parse.ts";
import { header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";
import fc from "../support/property.ts";

/** The model writes in small letters and digits, the user in capitals, so that each text can be told apart. */
type Action =
  | { readonly type: "say"; readonly text: string; readonly seen: boolean }
  | { readonly type: "insert" | "keys"; readonly place: number; readonly how: number }
  | { readonly type: "split" | "join" | "delete"; readonly place: number };

const place = fc.nat(9999).map((number) => number / 10_000);
const said = fc.stringMatching(/^([a-z0-9]{1,6}[ \n]{0,2}){1,4}$/);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("say" as const), text: said, seen: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("insert" as const, "keys" as const),
      place,
      how: fc.nat(4),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("split", "join", "delete"), place }) },
);

/** With calls looked for in the text, the beginning of one would wait for its next character. */
const native = header.replace("tools: mock\n", "tools: mock\ntool_protocol: native-only\n");
const before = `${native}💬: FIRST\n\n🤖:[live]\n\nOLD ANSWER\nOF TWO LINES\n\n💬: NOW\nASK\nTHIS\n`;

/**
 * Lua that chooses a place for an edit and makes it, or leaves the cursor there. Lines that are structure are
 * kept out: taking them away ends the answer, and that has tests of its own.
 */
const edit = `local kind, place, word = ...
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
local function is_structure(line) return line == nil or line:find("^[<🤖💬]") ~= nil or line == "---" end
local mark
for row, line in ipairs(lines) do if line:find("^<!") then mark = row end end
local rows = {}
for row = 6, #lines do
  local free = not is_structure(lines[row])
  if kind == "join" then free = free and not is_structure(lines[row + 1]) and row + 1 ~= mark end
  if kind == "delete" then free = free and row + 1 ~= mark end
  if free then rows[#rows + 1] = row end
end
if #rows == 0 then return vim.NIL end
local row = rows[math.min(#rows, 1 + math.floor(place * #rows))]
local line = lines[row]
local column = math.floor(place * 7919) % (#line + 1)
while line:sub(column, column):find("%u") and line:sub(column + 1, column + 1):find("%u") do column = column + 1 end
if kind == "cursor" and column == #line then column = 0 end
if kind == "insert" then vim.api.nvim_buf_set_text(0, row - 1, column, row - 1, column, { word })
elseif kind == "split" then vim.api.nvim_buf_set_text(0, row - 1, column, row - 1, column, { "", "" })
else
  vim.api.nvim_win_set_cursor(0, { row, column })
  if kind == "join" then vim.cmd("normal! J") end
  if kind == "delete" then vim.cmd("normal! dd") end
end
return { row = row, line = line, above = table.concat(lines, "\\n", 1, row - 1) }`;
const edited = z.object({ row: z.number(), line: z.string(), above: z.string() }).nullable();

/** The model's characters in the answer that streams. */
function modelCharacters(text: string): string {
  return text
    .slice(text.lastIndexOf("🤖:[live]") + "🤖:[live]".length)
    .replace(/<!--.*|[^a-z0-9]/g, "");
}

interface Run {
  readonly live: LiveChat;
  said: string;
  /** Places in `said` whose characters the user deleted. */
  readonly deleted: Set<number>;
  readonly typed: Set<string>;
  words: number;
}

function newWord(run: Run): string {
  const letters = [...String(run.words++)].map((digit) => "ABCDEFGHIJ".charAt(Number(digit)));
  return `X${letters.join("")}Y`;
}

function expected({ said, deleted }: Run): string {
  return [...said].filter((_, index) => !deleted.has(index)).join("");
}

const ways = ["i", "I", "A", "o", "O"];

async function act(run: Run, step: Action, say: (text: string) => void): Promise<void> {
  const { nvim } = run.live;
  if (step.type === "say") {
    say(step.text);
    run.said += step.text.replace(/\s/g, "");
    if (step.seen) {
      await nvim.until(
        "the text",
        async () => modelCharacters(await nvim.text()).length >= expected(run).length,
      );
    }
    return;
  }
  const word = newWord(run);
  const kind = step.type === "keys" ? "cursor" : step.type;
  const made = edited.parse(await nvim.lua(edit, kind, step.place, word));
  if (made === null) return;
  if (step.type === "insert") run.typed.add(word);
  if (step.type === "keys") {
    await nvim.input(`${ways[step.how]}${word}<Esc>`);
    run.typed.add(word);
    await nvim.until("the word", async () => (await nvim.text()).includes(word));
  }
  if (step.type === "delete") forget(run, made);
}

function forget(
  run: Run,
  { line, above }: { readonly line: string; readonly above: string },
): void {
  for (const word of line.match(/X[A-J]+Y|[A-Z]{2,}?(?=X|\b)/g) ?? []) run.typed.delete(word);
  if (above.split("🤖:[live]").length < 3) return;
  const kept = [...run.said].flatMap((_, index) => (run.deleted.has(index) ? [] : [index]));
  const start = modelCharacters(above).length;
  const length = line.replace(/[^a-z0-9]/g, "").length;
  for (const index of kept.slice(start, start + length)) run.deleted.add(index);
}

describe.each(neovims)("editing beside a streaming answer in Neovim $version", ({ path }) => {
  it("keeps both texts, whatever is typed wherever", { timeout: 60_000 }, async () => {
    const live = await openLiveChat({ path, chat: { text: before } });
    const { nvim } = live;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 40 }), async (actions) => {
        await nvim.lua(
          `vim.fn.writefile(vim.split((...), "\\n"), vim.fn.expand("%:h") .. "/run.md", "b")
          vim.cmd("edit! %:h/run.md") vim.cmd("normal! G")`,
          before,
        );
        const run: Run = {
          live,
          said: "",
          deleted: new Set(),
          typed: new Set(["FIRST", "OLD", "NOW", "ASK", "THIS"]),
          words: 0,
        };
        const reply = await live.respond();
        await nvim.untilText(/unfinished open/);
        for (const step of actions) await act(run, step, (text) => reply.say(text));
        reply.say(" end");
        run.said += "end";
        reply.end();
        await live.ended();
        const text = await nvim.text();
        expect(modelCharacters(text)).toBe(expected(run));
        for (const word of run.typed)
          expect(text.split(word), `${word} in\n${text}`).toHaveLength(2);
        const { exchanges } = parseTranscript(text);
        expect(exchanges).toHaveLength(3);
        expect(
          exchanges[1]?.answer?.steps.flatMap(({ blocks }) => blocks.map(({ kind }) => kind)),
        ).toEqual(["text"]);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });
});
