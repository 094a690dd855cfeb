/** Files of any form, what a model does to them, and what people and other programs do to them meanwhile. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCall } from "../support/live-model.ts";
import type { Random } from "../support/random.mjs";

/** The words of a session: each is written once, so that it shows what was lost and what came twice. */
export interface Words {
  /** A new word, of somebody (`p`), the model (`m`) or another program (`x`). */
  next(kind: "p" | "m" | "x"): string;
}

export const word = /<\w+>/g;

const texts = [
  "one.txt",
  "two.md",
  "three.txt",
  "dos.txt",
  "marked.txt",
  "open.txt",
  "sub/four.txt",
];
const odd = [
  "empty.txt",
  "line.txt",
  "latin.txt",
  "link.txt",
  "away.txt",
  "new.txt",
  "a b.txt",
  "sub",
];
const elsewhere = ["../outside/o.txt", "out/o.txt", "sub/../one.txt", "./two.md", ".git/config"];

/** The files that anybody may edit. */
export const ordinary: readonly string[] = [...texts, "empty.txt", "line.txt"];

/** The words of the file outside, and of the one with secrets. */
const outsideWord = "<outside>";
export const secretWord = "<secret>";

/** Returns the words in them. */
export async function makeFiles(repo: string, words: Words, random: Random): Promise<string[]> {
  const outside = join(repo, "..", "outside");
  for (const folder of [join(repo, "sub"), join(repo, ".git"), outside]) {
    await mkdir(folder, { recursive: true });
  }
  const made = [outsideWord];
  const line = () => {
    made.push(words.next("p"));
    return `text ${made.at(-1)} here`;
  };
  for (const name of texts) {
    const end = name === "dos.txt" ? "\r\n" : "\n";
    const lines = Array.from({ length: 3 + random.below(6) }, line);
    const text = lines.join(end) + (name === "open.txt" ? "" : end);
    await writeFile(join(repo, name), (name === "marked.txt" ? "\ufeff" : "") + text);
  }
  await writeFile(join(repo, "empty.txt"), "");
  await writeFile(join(repo, "line.txt"), "\n");
  await writeFile(join(repo, "a b.txt"), `${line()}\n`);
  await writeFile(join(repo, "latin.txt"), Buffer.from(`caf\u00e9 ${line()}\n`, "latin1"));
  await writeFile(join(repo, ".env"), `SECRET=${secretWord}\n`);
  await writeFile(join(repo, ".git", "config"), "[core]\n");
  await writeFile(join(outside, "o.txt"), `${outsideWord}\n`);
  await symlink("one.txt", join(repo, "link.txt"));
  await symlink("../outside/o.txt", join(repo, "away.txt"));
  await symlink("../outside", join(repo, "out"));
  return made;
}

/** The lines of the file as it is, without its mark and its CR. */
export async function linesOf(path: string): Promise<string[]> {
  const whole = await readFile(path, "utf8").catch(() => "");
  return whole.replace("\ufeff", "").replaceAll("\r\n", "\n").split("\n");
}

/** What a call takes away and brings, where it runs. */
export interface Change {
  readonly takes: readonly string[];
  readonly brings: readonly string[];
  readonly isEdit: boolean;
}

export interface AnyCall extends Change {
  readonly call: ToolCall;
  /** The file, for calls that change one. */
  readonly path: string | null;
}

type Called = readonly [name: string, args: object];

async function anyEdit(repo: string, path: string, words: Words, random: Random) {
  const takes: string[] = [];
  const brings: string[] = [];
  const own = () => {
    brings.push(words.next("m"));
    return brings.at(-1) ?? "";
  };
  const place = async () => {
    const lines = await linesOf(join(repo, path));
    const at = random.below(Math.max(1, lines.length - 1));
    const found = lines.slice(at, at + 1 + random.below(2)).join("\n");
    const old_text = found === "" ? "no such text" : found;
    takes.push(...(old_text.match(word) ?? []));
    const new_text = random.of([
      (text: string) => text,
      (text: string) => `new ${text}\nmore`,
      (text: string) => `${text} ${old_text}`,
      (text: string) => `${old_text}\n${text}`,
    ])(own());
    return { old_text, new_text };
  };
  const called = await random.weighted<() => Promise<Called>>([
    [1, async () => ["make_file", { path, text: `${own()}${random.of(["\n", "", "\n\n"])}` }]],
    [1, async () => ["edit_file", { path, old_text: "", new_text: `${own()}\n` }]],
    [7, async () => ["edit_file", { path, ...(await place()) }]],
    [3, async () => ["edit_places", { path, edits: [await place(), await place()] }]],
  ])();
  return { called, takes, brings };
}

const commands = [
  "true",
  "exit 3",
  "sleep 0.2",
  "sleep 1234 & echo begun",
  "sleep 1234",
  "head -c 300000 /dev/zero",
  "yes | head -n 50000",
  "kill -9 $$",
] as const;

export async function anyFileCall(
  id: string,
  { repo, words, random }: { repo: string; words: Words; random: Random },
): Promise<AnyCall> {
  const path = random.weighted([
    [10, random.of(texts.slice(0, 3))],
    [4, random.of(texts)],
    [3, random.of(odd)],
    [1, random.of(elsewhere)],
  ]);
  const none = { takes: [], brings: [], isEdit: false, path: null };
  const plain = (called: Called) => async () => ({ called, ...none });
  const { called, ...change } = await random.weighted<
    () => Promise<Change & { readonly called: Called; readonly path: string | null }>
  >([
    [4, plain(["read_file", { path }])],
    [
      9,
      async () => ({
        ...(await anyEdit(repo, path, words, random)),
        ...{ isEdit: true, path },
      }),
    ],
    [
      0.7,
      async () => {
        const own = words.next("m");
        const shell = `echo '${own}' >> ${join(repo, "ran.txt")}; ${random.of(commands)}`;
        const folder = random.of([".", ".", "sub/..", "../outside", "gone"]);
        const args = { command: ["sh", "-c", shell], folder };
        return { called: ["run_command", args], ...none, brings: [own] };
      },
    ],
    [1, plain(["list_files", { path: random.of([".", "sub", "..", "out"]) }])],
    [1, plain(["search_files", { pattern: random.of(["<p\\d+>", ".*", "SECRET", "("]) }])],
    [0.5, plain(["diagnostics", {}])],
  ])();
  const [name, args] = called;
  const whole = JSON.stringify(args);
  const text = random.below(30) === 0 ? whole.slice(0, -3) : whole;
  return { call: { id, name, arguments: text }, ...change };
}

const inBuffer = (line: string) => `vim.api.nvim_buf_call(buf, function() ${line} end)`;
const typed = `do
  local row = math.min(place, vim.api.nvim_buf_line_count(buf))
  vim.api.nvim_buf_set_lines(buf, row, row, false, { "typed " .. own })
end`;

/** What somebody does to a file in Neovim: Lua that knows `buf`, a `place` and a new word, `own`. */
export const inEditor: readonly string[] = [
  typed,
  `${typed} ${inBuffer("vim.cmd('silent! write')")}`,
  `${typed} ${inBuffer("vim.cmd('silent! checktime | silent! write')")}`,
  `${typed} ${inBuffer("vim.cmd('silent! undo')")}`,
  inBuffer("vim.cmd('silent! write')"),
  inBuffer("vim.cmd('silent! undo | silent! write')"),
  inBuffer("vim.cmd('silent! redo')"),
  inBuffer("vim.cmd('silent! 2delete _')"),
  inBuffer("vim.cmd('silent! edit!')"),
  "pcall(vim.api.nvim_buf_delete, buf, { force = true })",
  "pcall(vim.cmd, 'bunload! ' .. buf)",
  "vim.cmd('silent! wall!')",
  "vim.cmd('silent! checktime')",
  "vim.cmd('silent! split | silent! buffer ' .. buf)",
  "vim.bo[buf].readonly = true",
  "vim.bo[buf].modifiable = false",
  "vim.bo[buf].modifiable = true vim.bo[buf].readonly = false",
  "vim.bo[buf].fileformat = 'dos'",
  "vim.bo[buf].fileformat = 'unix'",
  "vim.bo[buf].endofline = false vim.bo[buf].fixendofline = false",
];

const append = (text: string) =>
  `local file = io.open(path, "a") if file then file:write(${text}, "\\n") file:close() end`;
const replace = (lines: string) =>
  `vim.fn.writefile(${lines}, path .. ".x") vim.uv.fs_rename(path .. ".x", path)`;

/** What another program does to a file: Lua that knows its `path` and a new word, `own`. */
export const onDisk: readonly string[] = [
  append("own"),
  append("own"),
  append(`"\\0\\255", own`),
  replace("{ own }"),
  "vim.fn.delete(path)",
  "vim.fn.writefile(vim.fn.readfile(path), path)",
  "local lines = vim.fn.readfile(path) table.insert(lines, 1, own) vim.fn.writefile(lines, path)",
  "vim.uv.fs_chmod(path, tonumber('444', 8))",
  "vim.uv.fs_chmod(path, tonumber('644', 8))",
  "vim.fn.delete(path) vim.uv.fs_symlink('../outside/o.txt', path)",
  "vim.fn.delete(path) vim.fn.mkdir(path)",
  "vim.fn.delete(path, 'd')",
  "vim.uv.fs_rename(path, path .. '.moved')",
  "vim.uv.fs_rename(path .. '.moved', path)",
];

/** `sub` becomes a link that leads out, or a folder again. Lua that knows the folder, `repo`. */
export const swapFolder = `if (vim.uv.fs_lstat(repo .. "/sub") or {}).type == "link" then
  vim.fn.delete(repo .. "/sub")
  vim.uv.fs_rename(repo .. "/sub.real", repo .. "/sub")
else
  vim.uv.fs_rename(repo .. "/sub", repo .. "/sub.real")
  vim.uv.fs_symlink("../outside", repo .. "/sub")
end`;

/** Defines `words_now(repo)`: how often each word is in a file of the folder, and in a buffer. */
export const wordsNow = `local function words_now(repo)
  local function count(found, text)
    local once = {}
    for one in text:gmatch("<%a+%d*>") do once[one] = (once[one] or 0) + 1 end
    for one, times in pairs(once) do found[one] = math.max(found[one] or 0, times) end
  end
  local disk, buffers = vim.empty_dict(), vim.empty_dict()
  for _, folder in ipairs({ repo, repo .. "/../outside" }) do
    for name, kind in vim.fs.dir(folder, { depth = 3 }) do
      local file = kind == "file" and io.open(folder .. "/" .. name, "rb")
      if file then
        count(disk, file:read("*a"))
        file:close()
      end
    end
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local is_file = vim.startswith(vim.api.nvim_buf_get_name(buf), repo)
    if is_file and vim.api.nvim_buf_is_loaded(buf) then
      count(buffers, table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\\n"))
    end
  end
  return disk, buffers
end
`;
