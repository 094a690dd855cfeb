import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neovimEnvironment } from "./nvim.mjs";
import { projectRoot } from "./paths.mjs";
import { runLoudly } from "./run.mjs";

/**
 * Runs the tests with their output on stdout. Returns how many passed and which failed, each as `{ file, test }`;
 * `file` is null for a failure outside any file.
 */
export async function runVitest(neovims, filters) {
  const folder = await mkdtemp(join(tmpdir(), "parley-test-"));
  const report = join(folder, "report.json");
  try {
    const code = await runLoudly(
      process.execPath,
      [
        join(projectRoot, "node_modules", "vitest", "vitest.mjs"),
        ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
        ...filters,
      ],
      { cwd: projectRoot, env: testEnvironment(neovims), stdio: ["ignore", 1, 2] },
    );
    const text = await readFile(report, "utf8").catch(() => undefined);
    return countTests(text && JSON.parse(text), code, filters);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns an environment without keys and addresses of real providers, so that a test cannot spend money. */
function testEnvironment(neovims) {
  const env = neovimEnvironment({ PARLEY_TEST_NVIMS: JSON.stringify(neovims) });
  const isProviders = (name) => /^(OPENAI|ANTHROPIC)_/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isProviders(name)));
}

function countTests(report, code, filters) {
  const files = report?.testResults ?? [];
  const failures = files.flatMap(failuresOfFile);
  // Vitest also fails for problems outside any test: an unhandled error, or no test found.
  if (code !== 0 && failures.length === 0) {
    const isEmpty = report !== undefined && files.length === 0 && filters.length > 0;
    const reason = isEmpty ? wordsWithoutFile(filters) : `vitest ended with code ${code}`;
    failures.push({ file: null, test: reason });
  }
  return {
    passed: report?.numPassedTests ?? 0,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    failures,
  };
}

/** Returns a message about words of `npm test -- WORDS` that match no file; options may follow them. */
export function wordsWithoutFile(filters) {
  const option = filters.findIndex((word) => word.startsWith("-"));
  const words = option < 0 ? filters : filters.slice(0, option);
  const named = words.map((word) => `“${word}”`).join(" or ");
  return `No test file has ${named} in its path; \`npm test\` alone runs all.`;
}

function failuresOfFile({ name, status, assertionResults }) {
  const path = name.slice(projectRoot.length + 1);
  const failed = assertionResults.filter((test) => test.status === "failed");
  const named = failed.map(({ fullName }) => `${path}: ${fullName}`);
  if (status === "failed" && failed.length === 0) named.push(`${path} could not be loaded`);
  return named.map((test) => ({ file: path, test }));
}
