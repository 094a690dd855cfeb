/** The Neovims that tests run on. Only a test that imports this may have one fetched. */
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
