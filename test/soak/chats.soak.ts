/** Folders of chats that link to each other, renamed, moved, branched and deleted while one types in them. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { branchLinks, linkTarget } from "../../src/app/chats/links.ts";
import { sha256 } from "../../src/shared/hash.ts";
import { type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";
import { createRandom, type Random } from "../support/random.mjs";
import { keepFailure } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import { answerPrompts, look } from "./user.ts";

const raw = /stack traceback|\.lua:\d+:|Error executing|attempt to \w+ a|could not do that|ENOENT/;

const habits = [
  "",
  "vim.cmd('autocmd InsertLeave * silent! update')",
  "vim.o.undofile = true vim.o.hidden = false",
  "vim.cmd('autocmd InsertLeave,BufLeave * silent! wall') vim.o.autoread = false",
  "vim.cmd('autocmd TextChanged,InsertLeave * silent! noautocmd write') vim.o.swapfile = true",
];
const names = [
  "plain",
  "two words",
  "ümläut 日本",
  "a.b.c",
  "50% off",
  "x $& y",
  "it's #1",
  "tilde~",
];
const folders = [".", "sub", "deep er/one", "sub/b"];

/** One user at one Neovim, and what must be found in the end. */
interface Play {
  readonly live: LiveChat;
  readonly random: Random;
  readonly root: string;
  readonly done: string[];
  readonly words: string[];
  /** The topics of chats that were in the trash for some time: links to them lead nowhere. */
  readonly deleted: Set<string>;
  count: number;
}

const text = (play: Play, links: readonly string[]) => {
  play.count += 1;
  const id = play.count;
  return {
    id,
    body: `---\ntopic: {c${id}}\nmodel: openai/live\n---\n\n${links.join("\n")}\n💬: first of ${id}\n`,
  };
};

async function chatsBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Five chats, with links to those before and an image in each. */
async function plant(play: Play): Promise<void> {
  const { random, root } = play;
  const paths: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    const folder = join(root, random.of(folders));
    await mkdir(folder, { recursive: true });
    const path = join(folder, `start ${index}.md`);
    const links: string[] = [];
    for (const [other, there] of paths.entries()) {
      const target = relative(dirname(path), there);
      if (random.below(2) === 0) links.push(`🌿: ${target}: {c${other + 1}}`);
      if (random.below(3) === 0) links.push(`💬: see [🌿:{c${other + 1}}](${target}) here`);
    }
    const { id, body } = text(play, links);
    const file = `${sha256(`image ${id}`)}.png`;
    const image = `![i](${encodeURI(basename(path))}.files/${file})\n`;
    await mkdir(`${path}.files`);
    await writeFile(join(`${path}.files`, file), `image ${id}`);
    await writeFile(path, body + image);
    paths.push(path);
  }
}

type Act = (play: Play) => Promise<string>;

const word = (play: Play) => {
  const found = `w${play.words.length}x${play.random.below(1000)}`;
  play.words.push(found);
  return found;
};

const acts: readonly (readonly [number, Act])[] = [
  [
    4,
    async (play) => {
      const typed = word(play);
      const keys = play.random.of([
        `Go${typed}<Esc>`,
        `GA ${typed}<Esc>`,
        `Go${typed}`,
        `ggjj$A<Esc>Go${typed}<Esc>`,
      ]);
      await play.live.nvim.input(`<Esc>${keys}`);
      // Text in a buffer without a file is nobody's chat.
      const name = String(await play.live.nvim.lua("return vim.api.nvim_buf_get_name(0)"));
      if (!name.startsWith(play.root)) play.words.pop();
      return keys;
    },
  ],
  [
    3,
    async (play) => {
      const all = await chatsBelow(play.root);
      if (all.length === 0) return "nothing to edit";
      const path = play.random.of(all);
      await look(
        play.live.nvim,
        `lua pcall(vim.cmd.edit, vim.fn.fnameescape(${JSON.stringify(path)}))`,
        0,
      );
      return `edit ${path}`;
    },
  ],
  [
    4,
    async (play) => {
      const to = `${play.random.of(names)} ${play.random.below(100)}`;
      await look(play.live.nvim, `Parley rename ${to}`, play.random.of([0, 0, 5, 30]));
      return `rename ${to}`;
    },
  ],
  [
    4,
    async (play) => {
      const to = join(play.root, play.random.of(folders));
      await look(play.live.nvim, `Parley move ${to}`, play.random.of([0, 0, 5, 30]));
      return `move ${to}`;
    },
  ],
  [
    1,
    async (play) => {
      await look(play.live.nvim, "Parley delete", play.random.of([0, 0, 5, 30]));
      return "delete";
    },
  ],
  [
    2,
    async (play) => {
      await look(play.live.nvim, "Parley branch", play.random.of([0, 30]));
      return "branch";
    },
  ],
  [
    1,
    async (play) => {
      await look(play.live.nvim, "Parley new", play.random.of([0, 30]));
      return "new";
    },
  ],
  [
    3,
    async (play) => {
      const keys = play.random.of([
        "gf",
        ":w<CR>",
        ":update<CR>",
        "<C-w>s",
        "<C-o>",
        ":wa<CR>",
        ":bn<CR>",
      ]);
      await play.live.nvim.input(`<Esc>${keys}`);
      return keys;
    },
  ],
  [
    2,
    async (play) => {
      await look(play.live.nvim, "Parley chats", 100);
      const keys = play.random.of([
        "<Down><C-r>",
        "<C-r>",
        "<Down><Down><C-o>",
        "<C-d>",
        "<CR>",
        "<Down><CR>",
      ]);
      await play.live.nvim.input(keys);
      await play.live.nvim.lua("vim.wait(...)", play.random.of([0, 50]));
      await play.live.nvim.input("<Esc><Esc>");
      return `chats ${keys}`;
    },
  ],
  [
    2,
    async (play) => {
      await look(play.live.nvim, "Parley respond", 50);
      const reply = play.live.model.take();
      reply?.say("An answer.");
      reply?.end();
      return "respond";
    },
  ],
  [
    2,
    async (play) => {
      const pause = play.random.of([20, 100, 300]);
      await play.live.nvim.lua("vim.wait(...)", pause);
      return `wait ${pause}`;
    },
  ],
];
const weighted = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));

async function settle({ nvim, model }: LiveChat): Promise<void> {
  for (let index = 0; index < 20; index += 1) {
    const reply = model.take();
    reply?.say("An answer.");
    reply?.end();
    await nvim.lua("vim.wait(50)");
  }
}

async function play(now: Play): Promise<string> {
  const { live, random, root } = now;
  const { nvim } = live;
  let said = "";
  await nvim.lua(
    `local names, folders, root = ...
     vim.ui.input = function(options, done)
       local of = options.prompt:find("Name") and names or folders
       done(of[math.random(#of)])
     end
     vim.ui.select = function(items, options, done)
       if vim.tbl_contains(items, "Yes") then return done("Yes") end
       done(items[1], 1)
     end`,
    names.map((name) => `${name} L${random.below(1000)}`),
    folders.map((folder) => join(root, folder)),
  );
  for (let index = 0; index < 30; index += 1) {
    for (const path of await chatsBelow(trashOf(now))) {
      for (const [topic] of (await readFile(path, "utf8")).matchAll(/(?<=topic: )\{c\d+\}/g))
        now.deleted.add(topic);
    }
    const where = await nvim.lua("return vim.api.nvim_buf_get_name(0)");
    now.done.push(`${await random.of(weighted)(now)}   (in ${where})`);
    said += `${await nvim.lua("local said = vim.fn.execute('messages') vim.cmd('messages clear') return said")}\n`;
  }
  await nvim.input("<Esc><Esc>");
  await settle(live);
  await look(nvim, "silent! wall", 0);
  await settle(live);
  return said + (await nvim.messages());
}

const trashOf = ({ live }: Play) => join(live.nvim.home, "state", "nvim", "parley", "trash");

/** What does not hold in the folders. */
async function faultsOf(now: Play, said: string): Promise<string[]> {
  const { root, words, deleted, count } = now;
  const trash = trashOf(now);
  const faults: string[] = [];
  const chats = await chatsBelow(root);
  const texts = new Map<string, string>();
  for (const path of [...chats, ...(await chatsBelow(trash))])
    texts.set(path, await readFile(path, "utf8"));
  const all = [...texts.values()].join("\n");
  for (const one of words) {
    if (!all.includes(one)) faults.push(`${one} is lost`);
  }
  const placeOf = new Map<string, string>();
  for (let id = 1; id <= count; id += 1) {
    const found = [...texts].filter(([, body]) => body.includes(`topic: {c${id}}`));
    if (found.length !== 1)
      faults.push(`{c${id}} is in ${found.map(([path]) => path).join(" and ") || "no file"}`);
    placeOf.set(`{c${id}}`, found[0]?.[0] ?? "");
  }
  for (const [path, body] of texts) {
    for (const { target, topic } of branchLinks(body.split("\n"))) {
      const place = placeOf.get(topic);
      const isDead = deleted.has(topic) || place?.startsWith(trash) === true;
      if (place === undefined || isDead || path.startsWith(trash)) continue;
      const found = linkTarget(path, { target }, root);
      if (found !== place && !said.includes("cannot hold its new path"))
        faults.push(`${path} links to ${topic} as ${target}, and it is ${place}`);
    }
    for (const [, name = ""] of body.matchAll(/!\[i\]\(([^()]*)\)/g)) {
      const place = join(dirname(path), decodeURIComponent(name));
      const bytes = await readFile(place, "utf8").catch(() => "nothing");
      if (basename(place) !== `${sha256(bytes)}.png`)
        faults.push(`${path} shows ${name}, which has ${bytes}`);
    }
  }
  for (const entry of await readdir(root, { recursive: true })) {
    const path = join(root, entry);
    if (/\.new$|~$/.test(entry)) faults.push(`${path} is left over`);
    if (entry.endsWith(".files") && (await stat(path)).isDirectory()) {
      if (!texts.has(path.replace(/\.files$/, ""))) faults.push(`${path} has no chat`);
    }
  }
  for (const line of said.split("\n")) if (raw.test(line)) faults.push(line);
  return faults;
}

describe.each(neovims)("folders of chats in Neovim $version", ({ path, version }) => {
  it.each(seedsOfRun(40))("of seed %i", async (seed) => {
    const random = createRandom(seed);
    const live = await openLiveChat({
      path,
      init: `require("parley").setup({ model = "openai/live" })\nmath.randomseed(${seed})\n${habits[seed % habits.length] ?? ""}`,
    });
    const root = dirname(live.nvim.chatPath);
    const now: Play = { live, random, root, done: [], words: [], deleted: new Set(), count: 0 };
    await plant(now);
    const watchdog = answerPrompts(live);
    const said = await Promise.race([
      play(now),
      live.nvim.gone().then(() => "stack traceback: Neovim ended"),
      new Promise<string>((resolve) => {
        setTimeout(() => resolve("stack traceback: it takes more than a minute"), 60_000);
      }),
    ]).catch((error: unknown) => `stack traceback: ${error}`);
    clearInterval(watchdog);
    const unsaved = await live.nvim
      .lua(
        `return vim.iter(vim.api.nvim_list_bufs()):filter(function(buf)
          return vim.bo[buf].modified and vim.api.nvim_buf_get_name(buf) ~= "" and vim.bo[buf].buftype == ""
        end):map(vim.api.nvim_buf_get_name):totable()`,
      )
      .catch(() => []);
    const faults = await faultsOf(now, said);
    if (Array.isArray(unsaved)) for (const one of unsaved) faults.push(`${one} is not saved`);
    if (faults.length > 0)
      await keepFailure(`chats ${seed} in ${version}`, [...now.done, "--", ...faults, "--", said]);
    expect(faults).toEqual([]);
  });
});
