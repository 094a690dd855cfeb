/** The Neovims that tests run on. Only a test that imports this may have one fetched. */
import { it } from "vitest";
import { neovimsForTests } from "../../scripts/lib/nvim.mjs";

export interface InstalledNeovim {
  readonly version: string;
  readonly path: string;
}

/** Those that `npm test` names; `npx vitest` by hand finds them the same way. */
export const neovims: readonly InstalledNeovim[] =
  process.env.PARLEY_TEST_NVIMS === undefined
    ? (await neovimsForTests()).neovims
    : JSON.parse(process.env.PARLEY_TEST_NVIMS);

/**
 * For rules that are the host's alone, in which a version of Neovim makes no difference: the newest shows them, since
 * each test in an editor costs seconds. The project's workflow gives each of its jobs one version, so all run in each.
 */
export const oneNeovim: readonly InstalledNeovim[] = neovims.slice(-1);

/** The cases that this Neovim tries, when each case is tried in one of them only. */
export function casesFor<T>(path: string, cases: readonly T[], offset = 0): T[] {
  const own = neovims.findIndex((neovim) => neovim.path === path);
  return cases.filter((_, index) => (index + offset) % neovims.length === own);
}

/**
 * `it` for a group whose tests each run in one of the Neovims only, in turn: where a version seldom makes a difference,
 * since each test in an editor costs seconds. `path` is that of the Neovim that the group is for.
 */
export function itInTurn(path: string): Pick<typeof it, "each"> & Test {
  const own = neovims.findIndex((neovim) => neovim.path === path);
  let next = 0;
  const test: Test = (title, run) => {
    if (next++ % neovims.length === own) it(title, run);
  };
  const each = (cases: readonly unknown[]) => it.each(casesFor(path, cases));
  return Object.assign(test, { each: each as typeof it.each });
}

type Test = (title: string, run: () => Promise<void>) => void;
