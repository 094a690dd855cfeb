// `npm run check` runs the static checks: types, lint, unused code, formats, Lua lint. It fetches no Neovim;
// checks that need one are skipped with a message when there is none.
import { runStaticChecks } from "./lib/checks.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { presentNeovim } from "./lib/nvim.mjs";
import { runMain } from "./lib/say.mjs";

await runMain(async () => {
  await installDependencies();
  let failed = 0;
  const report = ({ name, code, stdout, stderr, missing }) => {
    if (missing) return console.log(`left out: ${name}. ${missing}`);
    console.log(`${code === 0 ? "clean" : "FAILED"}: ${name}`);
    if (code !== 0) console.log(`${stdout}${stderr}`.trimEnd());
    failed += code === 0 ? 0 : 1;
  };
  await runStaticChecks(await presentNeovim(), report, { mayFetch: false });
  return failed > 0 ? 1 : 0;
});
