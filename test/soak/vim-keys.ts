/** Actions made of Vim's own keys in any combination: operators, registers, marks, macros and what Insert mode knows. */
import type { Random } from "../support/random.mjs";
import { type Action, anyOpen, endRecording, pause, type Session, somewhere } from "./session.ts";

const listed = (...keys: readonly string[]) => keys.flatMap((some) => some.split(" "));

const motions = listed(
  "w e b ge j k 2j $ 0 ^ G gg } { fm t: % H M L gj gk + - _ g_ ) ( n * `a 'a '' `. `[ `] g; ; | go",
  "<C-o> <C-i> /m<CR> ?💬<CR> <C-d> <C-u> <C-e> <C-y> zt zz zb <C-f> <C-b>",
);

const textObjects = listed('iw aw iW ip ap is as i{ a( i" it i`');

/** No `!`: what is typed behind it would run in a shell. */
const operators = listed("d c y > < = gq gw g~ gU g? zf");

const selectionKeys = [...operators, ...listed("o O I A r- ~ p P J gJ s x gv $A <C-a>")];

const commands = listed(
  "dd cc S yy p P gp ]p J gJ ~ x X s C D <C-a> <C-x> & g& . u <C-r> U ma Y >> <lt><lt> == gqq g~~ gUU",
  "zo zc za zR zM zd zE zf2j gv gi gI a A i I o O R gR rX r<CR> 3ix<Esc>",
);

const insertKeys = [
  ...listed(
    '<CR> <BS> <C-w> <C-u> <Del> <Tab> <C-t> <C-d> <C-e> <C-y> <C-a> <C-r>a <C-r>" <C-r><C-o>a <C-r>=1<CR>',
    "<C-v>u263a <C-k>a: <C-o>dd <C-o>u <C-o>p <C-o>$ <C-o>cc <C-g>u <C-g>j <Up> <Down> <Left> <Right>",
    "<Home> <End> <C-n> <C-p> <C-x><C-l> <C-x><C-n> <C-x>s ```<CR> <Insert>",
  ),
  ...["💬: ", "❓: "],
];

/** `WORD` is a new word. */
const lineCommands = [
  ...listed("m+1 m-2 m0 t. t$ d pu pu! j j! > <lt> && ~ ce ri undo redo retab .,+3d -2,.j 1,.co$"),
  ...listed("'a,.d '<lt>,'>d '[,']d /💬/d .,+1g/./t0 s/m/M/ a|WORD"),
  ...["d a", "pu a", "k b", ".,$y a", "le 4", "s/^/> /", "s/$/ /", "s/💬: //", "s/\\v\\w+/x/g"],
  ...["norm! x", "norm dd", "norm ccWORD", "norm! oWORD", "norm .", "norm AWORD", "norm! I- "],
  ...["sil norm! ggVGp", "r !printf x"],
];

/** One command of Normal mode, and where it leads into Insert mode, what is typed there. */
function command(random: Random, word: () => string): string {
  const count = random.of(["", "", "", "", "2", "3", "12"]);
  const register = random.of(["", "", "", '"a', '"A', '"_', '"+']);
  const target = () => (random.below(2) === 0 ? random.of(motions) : random.of(textObjects));
  const inserted = () =>
    Array.from({ length: 1 + random.below(4) }, () =>
      random.below(3) === 0 ? word() : random.of(insertKeys),
    ).join("");
  const selected = () =>
    random.of(["v", "V", "<C-v>"]) + random.of(motions) + random.of(motions) + register;
  return random.weighted<() => string>([
    [5, () => `${register}${count}${random.of(commands)}${inserted()}<Esc>`],
    [3, () => `${register}${count}${random.of(commands)}`],
    [4, () => `${register}${count}${random.of(operators)}${target()}${inserted()}<Esc>`],
    [3, () => `${count}${random.of(motions)}`],
    [4, () => `${selected()}${random.of(selectionKeys)}${inserted()}<Esc>`],
    [3, () => `:silent! ${random.of(lineCommands).replace("WORD", word())}<CR>`],
  ])();
}

/** What the model says or does between two keys. */
function modelGoesOn(session: Session): void {
  const one = anyOpen(session);
  if (one === null || session.random.below(2) === 0) return;
  const word = session.word("m");
  one.reply.say(`${word}${session.random.of([" ", "\n", "\n\n- "])}`);
  one.said.words.push(word);
}

const anyKeys: Action = async (session) => {
  const place = await somewhere(session);
  const { random } = session;
  const pressed: string[] = [];
  const press = async (keys: string) => {
    pressed.push(keys);
    await session.live.nvim.input(keys);
    modelGoesOn(session);
    await pause(session, 8);
  };
  const isRecorded = random.below(6) === 0;
  if (isRecorded) await press("qm");
  for (let left = 1 + random.below(5); left > 0; left -= 1)
    await press(command(random, () => session.word("P")));
  if (isRecorded) {
    await endRecording(session);
    await press(random.of(["@m", "j@m", "2@m"]));
  }
  await session.type("<Esc><Esc>");
  return `${place}: ${pressed.join(" ")}`;
};

export const vimKeys: readonly (readonly [number, Action])[] = [[20, anyKeys]];
