// `npm run format` formats every file and applies the linter's safe fixes.
import { format } from "./lib/checks.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { runMain, say } from "./lib/say.mjs";

await runMain(async () => {
  await installDependencies();
  const results = await format();
  for (const { stdout, stderr } of results) say(`${stdout}${stderr}`.trimEnd());
  return results.some(({ code }) => code !== 0) ? 1 : 0;
});
