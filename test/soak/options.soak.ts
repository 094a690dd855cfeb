/** Neovims whose options have any values: a chat goes on as with the defaults, and nobody meets an error. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { header, type LiveChat, openLiveChat } from "../support/live-chat.ts";
import { neovims } from "../support/neovim.ts";
import { createRandom, type Random } from "../support/random.mjs";
import { keepFailure } from "./failures.ts";
import { seedsOfRun } from "./open.ts";
import { answerPrompts, backToChat, look } from "./user.ts";

const raw =
  /stack traceback|\bE\d{2,4}:|\.lua:\d+:|Error executing|attempt to \w+ a|could not do that/;

/**
 * Options that say that nothing may be written or found, that change what the keys of this session type, or that the
 * test itself needs.
 */
const leftAlone: ReadonlySet<string> = new Set(
  [
    "all runtimepath packpath columns lines verbose verbosefile writedelay redrawdebug modifiable readonly write",
    "loadplugins maxfuncdepth maxmapdepth maxmempattern eventignore eventignorewin filetype syntax buftype encoding",
    "langmap keymap paste pastetoggle exrc secure swapfile buflisted bufhidden helpfile imsearch iminsert",
    "previewwindow winfixbuf omnifunc completefunc tagfunc operatorfunc quickfixtextfunc thesaurusfunc findfunc",
    "includeexpr indentexpr formatexpr foldexpr patchexpr diffexpr charconvert binary shadafile remap scroll",
    "termpastefilter channel scrollback busy modified insertmode window winheight winminheight winwidth",
    "revins cedit wildchar wildcharm keywordprg cmdheight bomb fileencodings textwidth wrapmargin viewdir backupdir",
    "directory undodir cdpath path rulerformat titlestring iconstring printexpr opendevice formatoptions",
  ].flatMap((names) => names.split(" ")),
);

const numbers: readonly [number, ...number[]] = [0, 1, 2, 3, 5, 8, 20, 79, 999, 100_000, -1];
/** Values of options whose values Neovim cannot list. */
const texts: Readonly<Record<string, readonly string[]>> = {
  statusline: ["%f", "%!tabpagenr()", "%{%mode()%}"],
  winbar: ["%f", "%{mode()}"],
  tabline: ["%f"],
  statuscolumn: ["%l ", "%s%=%l%C "],
  iskeyword: ["@", "1-255", "@,48-57,_,192-255,-"],
  isfname: ["@", "1-255"],
  isident: ["@"],
  isprint: ["@"],
  cpoptions: ["aABceFs_", "aABcdDeEfFIJKlLmMnopPqrRsStuvwWxXyZz$!%+>;_"],
  shortmess: ["a", "aoOtTIcFWAsqSC"],
  comments: [":#", "fb:-,fb:*,n:>"],
  matchpairs: ["<:>", "(:),{:},[:],<:>"],
  listchars: ["tab:>-,trail:~,eol:$,nbsp:+"],
  fillchars: ["fold:x,eob: ,vert:x"],
  shell: ["/nonexistent", "fish", "/bin/false"],
  shellcmdflag: ["-x"],
  fileformats: ["dos", "unix,dos,mac"],
  fileencoding: ["utf-16", "latin1", "cp936"],
  showbreak: ["> "],
  wildignore: ["*.md", "*", "*/parley/*"],
  suffixesadd: [".md"],
  spelllang: ["en"],
  dictionary: ["/nonexistent"],
  foldmarker: ["{,}"],
  foldtext: ["foldtext()"],
  concealcursor: ["nvic"],
  colorcolumn: ["1", "80,+1"],
  whichwrap: ["b,s,<,>,[,],h,l,~"],
  winhighlight: ["Normal:Error"],
  backupext: [".b"],
  backupskip: ["*"],
  patchmode: [".orig"],
};

const optionInfo = z.array(
  z.object({ name: z.string(), type: z.string(), values: z.array(z.string()) }),
);
type OptionInfo = z.infer<typeof optionInfo>;

/** All options with the values that the command line completes. */
const listOptions = `local found = {}
for name, info in pairs(vim.api.nvim_get_all_options_info()) do
  local ok, values = pcall(vim.fn.getcompletion, "set " .. name .. "=", "cmdline")
  local kept = { "" }
  for index, value in ipairs(info.type == "string" and ok and values or {}) do
    -- With "mac" alone, a file is one line for Neovim.
    if index < 40 and #value < 40 and not value:find("[\\\\/]") and value ~= "mac" then
      kept[#kept + 1] = value
    end
  end
  found[#found + 1] = { name = name, type = info.type, values = kept }
end
table.sort(found, function(a, b) return a.name < b.name end)
return found`;

/** What Neovim does not accept stays as it was. */
const setOptions = `for name, value in pairs(...) do
  pcall(function() vim.o[name] = value end)
end
-- Some of them count as changes of the text.
vim.bo.modified = false`;

function anyOptions(random: Random, infos: OptionInfo): Record<string, unknown> {
  // Few, so that one is met on its own, or many that go together.
  const oneOf = random.of([4, 8, 16, 40]);
  const chosen: Record<string, unknown> = {};
  for (const { name, type, values } of infos) {
    if (leftAlone.has(name) || random.below(oneOf) > 0) continue;
    if (type === "boolean") chosen[name] = random.below(2) === 0;
    else if (type === "number") chosen[name] = random.of(numbers);
    else chosen[name] = random.of(["", ...values, ...(texts[name] ?? [])]);
  }
  return chosen;
}

const question = `${header}💬: what is new?\n`;
const answer =
  "# Words\n\nSome *words* and a [link](x.md).\n\n```lua\nlocal x = 1\n\treturn x  \n```\n\n- one\n  - two\n";
const windows = [
  ...["toggle", "chats", "tools", "status", "outline", "tree", "help", "mcp", "models", "usage"],
  ...["preview", "changes", "details", "log", "check", "copy", "next", "new"],
] as const;

/** Asks, runs calls, looks at everything and stops an answer. Returns the text; what Neovim says goes to `said`. */
async function play({ nvim, ...live }: LiveChat, said: string[]): Promise<string> {
  const hear = async (what: string) => {
    said.push(`${what}: ${await nvim.messages()}`);
    await nvim.command("messages clear");
  };
  await nvim.openChat("next.md", question);
  await nvim.ready();
  await hear("opened");
  await nvim.input("G");
  const first = await live.respond();
  first.think("Hm. ", "So.\n");
  first.say(...(answer.match(/.{1,7}|\n/gs) ?? []));
  first.end();
  await live.ended();
  await hear("answered");
  await nvim.input("GAmore<Esc>");
  const calls = await live.respond();
  calls.say("A call.\n");
  calls.call({ id: "call_1", query: "say:ran\nwell" }, { id: "call_2", query: "say:again" });
  calls.end("tool_calls");
  await live.ended();
  await nvim.input("yA");
  const next = await live.reply();
  next.say("Done.");
  next.end();
  await live.ended();
  await hear("ran");
  for (const command of windows) {
    await look(nvim, `Parley ${command}`, 60);
    await nvim.input("jkG");
    await hear(command);
    await backToChat(nvim);
  }
  for (const keys of ["gg]]", "]w", "zMzR", "Gu", "<C-r>"]) await nvim.input(keys);
  await hear("moved");
  await nvim.input("GAlast<Esc>");
  const last = await live.respond();
  last.say("Last one.");
  await nvim.untilText(/Last one/);
  await nvim.command("Parley stop");
  await live.ended();
  await nvim.command("silent write!");
  await hear("stopped");
  return nvim.text();
}

/** The file in the line ends and the encoding of the format. */
async function fileFaults(text: string, { nvim }: LiveChat): Promise<string[]> {
  const file = (await readFile(nvim.chatPath, "utf8")).replaceAll("\r\n", "\n");
  return file === `${text}\n` || file === text ? [] : [`the file differs:\n${file}`];
}

interface Played {
  readonly text: string;
  readonly faults: readonly string[];
}

async function playWith(live: LiveChat, options: Record<string, unknown>): Promise<Played> {
  const said: string[] = [];
  const watchdog = answerPrompts(live);
  const sentences = () => said.filter((one) => raw.test(one));
  try {
    const text = await Promise.race([
      live.nvim.lua(setOptions, options).then(() => play(live, said)),
      live.nvim.gone().then(() => Promise.reject(new Error("Neovim ended"))),
      new Promise<never>((_, reject) => {
        setTimeout(() => reject(new Error("it takes more than a minute")), 60_000);
      }),
    ]);
    return { text, faults: [...sentences(), ...(await fileFaults(text, live))] };
  } catch (error) {
    return { text: "", faults: [...sentences(), String(error), ...said.slice(-3)] };
  } finally {
    clearInterval(watchdog);
  }
}

describe.each(neovims)("any options in Neovim $version", ({ path, version }) => {
  let expected: Promise<Played> | undefined;
  it.each(seedsOfRun(60))("of seed %i", async (seed) => {
    expected ??= openLiveChat({ path }).then((live) => playWith(live, {}));
    const { text, faults: always } = await expected;
    expect(always).toEqual([]);
    const live = await openLiveChat({ path });
    const infos = optionInfo.parse(await live.nvim.lua(listOptions));
    const options = anyOptions(createRandom(seed), infos);
    const { text: found, faults } = await playWith(live, options);
    const all = found === text ? faults : [...faults, `the text differs:\n${found}`];
    if (all.length > 0) {
      await keepFailure(`options ${seed} in ${version}`, [JSON.stringify(options), ...all]);
    }
    expect(all).toEqual([]);
  });
});
