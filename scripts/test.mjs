// `npm test` runs everything: types, lint, unused code, Lua format and lint, and all tests on the
// oldest and the newest supported Neovim. `npm test -- transcript -t fence` passes its arguments to
// vitest and runs nothing else.
import { buildWhenStale } from "./lib/build.mjs";
import { runStaticChecks } from "./lib/checks.mjs";
import { installDependencies } from "./lib/deps.mjs";
import { neovimsForTests } from "./lib/nvim.mjs";
import { runMain, say } from "./lib/say.mjs";
import { runVitest } from "./lib/vitest.mjs";

const isOnCi = Boolean(process.env.CI) && process.env.CI !== "false";

/** If more files than this fail, the cause is not a busy machine. */
const mostAgain = 4;

await runMain(async (filters) => {
  const tally = { passed: 0, skipped: [], shaky: [], failures: [] };
  // Downloads Neovim while npm and the checks keep the processor busy; never rejects.
  const finding = neovimsForTests();
  await installDependencies();
  await buildWhenStale().catch((error) => {
    say(error.message);
    tally.failures.push("build");
  });
  if (filters.length === 0) {
    const newest = finding.then(({ neovims }) => neovims.at(-1));
    await runStaticChecks(newest, (result) => recordCheck(tally, result));
  }
  const { neovims, missing } = await finding;
  for (const { version, reason } of missing) leaveOut(tally, `Neovim ${version}`, reason);
  heading("tests");
  let tests = await runVitest(neovims, filters);
  if (isOnCi) tests = await againAlone(neovims, tests, tally);
  tally.passed += tests.passed;
  tally.failures.push(...tests.failures.map(({ test }) => test));
  if (tests.skipped > 0) tally.skipped.push(`${tests.skipped} tests that skip themselves`);
  printTally(tally, neovims);
  return tally.failures.length > 0 ? 1 : 0;
});

/** Reports what is skipped because the machine cannot have it. On CI, skipping something expected is a failure. */
function leaveOut(tally, what, reason, isExpected = true) {
  say(`${what} is left out: ${reason}`);
  (isOnCi && isExpected ? tally.failures : tally.skipped).push(what);
}

/**
 * Runs a few failed files once more, alone, on CI: a shared machine can delay an editor for longer than a test waits.
 * A test that passes only then is named in the result, because the test is at fault.
 */
async function againAlone(neovims, tests, tally) {
  const files = [...new Set(tests.failures.map(({ file }) => file))];
  if (files.length === 0 || files.length > mostAgain || files.includes(null)) return tests;
  heading("what failed, alone");
  const again = await runVitest(neovims, [...files, "--maxWorkers=1"]);
  const failed = new Set(again.failures.map(({ test }) => test));
  if (again.failures.some(({ file }) => file === null)) return tests;
  const [failures, shaky] = [
    tests.failures.filter(({ test }) => failed.has(test)),
    tests.failures.filter(({ test }) => !failed.has(test)),
  ];
  tally.shaky.push(...shaky.map(({ test }) => test));
  const others = again.failures.filter(
    ({ test }) => !tests.failures.some((one) => one.test === test),
  );
  return { ...tests, passed: tests.passed + shaky.length, failures: [...failures, ...others] };
}

function recordCheck(tally, { name, code, stdout, stderr, missing, isExpected }) {
  heading(name);
  if (missing) return leaveOut(tally, name, missing, isExpected);
  if (code === 0) {
    console.log("clean");
    tally.passed += 1;
  } else {
    console.log(`${stdout}${stderr}`.trimEnd());
    tally.failures.push(name);
  }
}

function heading(name) {
  console.log(`\n== ${name} ==`);
}

function printTally({ passed, skipped, shaky, failures }, neovims) {
  heading("result");
  for (const failure of failures) console.log(`failed: ${failure}`);
  for (const test of shaky) console.log(`passed only when it was alone: ${test}`);
  for (const what of skipped) console.log(`left out: ${what}`);
  const versions = neovims.map(({ version }) => version).join(" and ");
  console.log(`Neovim: ${versions || "none"}`);
  console.log(`${passed} passed, ${failures.length} failed`);
}
