// Loaded into the host by `--import`: at SIGUSR2 it collects its garbage and writes what it holds then.
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc");

process.on("SIGUSR2", () => {
  const { rss: before } = process.memoryUsage();
  collect();
  collect();
  const { heapUsed, rss, external } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  writeFileSync(
    process.env.PARLEY_MEMORY_FILE,
    JSON.stringify({ before, heapUsed, rss, external, handles }),
  );
});
