/** `parley preview` of a small chat as a whole process, compared with an empty Node process. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentIn } from "../../scripts/lib/editor.mjs";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { now } from "../lib/clock.mjs";
import { ratio, spread } from "../lib/statistics.mjs";

/** Reported by the process itself at its exit: CPU in milliseconds and peak memory in MB. */
const report = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  require("node:fs").writeSync(3, JSON.stringify({ cpu: (user + system) / 1000, memory: maxRSS / 1024 }));
});`;

async function spentBy(home, hook, args) {
  const begun = now();
  const child = spawn(process.execPath, ["--require", hook, ...args], {
    env: environmentIn(home, { OPENAI_API_KEY: "none" }),
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  let told = "";
  for await (const piece of child.stdio[3]) told += piece;
  return { wall: now() - begun, ...JSON.parse(told) };
}

export async function previewRows({ runs }) {
  const home = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const [hook, chat, nothing] = ["report.cjs", "chat.md", "nothing.cjs"].map((name) =>
    join(home, name),
  );
  await writeFile(hook, report);
  await writeFile(chat, "💬: hello\n\n🤖: hi\n\n💬: what is it?\n");
  await writeFile(nothing, "");
  const [parley, node] = [[], []];
  for (let run = 0; run < runs * 3; run += 1) {
    node.push(await spentBy(home, hook, [nothing]));
    parley.push(await spentBy(home, hook, [join(projectRoot, "dist", "cli.js"), "preview", chat]));
  }
  await rm(home, { recursive: true });
  const of = (list, part) => list.map((spent) => spent[part]);
  const row = (part, what, budget) => ({
    what,
    budget,
    parley: spread(of(parley, part)),
    plain: `${spread(of(node, part))} (Node alone)`,
    ratio: ratio(of(parley, part), of(node, part)),
  });
  return [
    row("wall", "parley preview of a small chat, whole process, ms", "≤ 150"),
    row("cpu", "— its CPU, ms", ""),
    row("memory", "— its peak memory, MB", "≤ 55"),
  ];
}
