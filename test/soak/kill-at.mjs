// Loaded into `parley run` by `--import`: kills it before the call of the file system that KILL_AT counts to, among those
// that a save of the chat makes; with KILL_BY=ENOSPC that call and all after it fail as on a full disk.
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

const at = Number(process.env.KILL_AT);
let count = 0;

function step() {
  count += 1;
  if (process.env.KILL_BY === "ENOSPC" && count >= at) {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  }
  if (count === at) process.kill(process.pid, "SIGKILL");
}

const isOfSave = (path) => /chat\.md/.test(basename(String(path))) || /\/saving/.test(String(path));

// What takes away and what only looks works on a full disk.
const isHarmless = (name) =>
  process.env.KILL_BY === "ENOSPC" && /^(unlink|stat|rm|close)$/.test(name);

for (const name of ["open", "rename", "unlink", "stat", "mkdir", "rm"]) {
  const run = fs[name];
  fs[name] = async (path, ...others) => {
    const isOne = isOfSave(path) && !isHarmless(name);
    if (isOne) step();
    const result = await run(path, ...others);
    return isOne && name === "open" ? watched(result) : result;
  };
}
syncBuiltinESMExports();

function watched(handle) {
  for (const name of ["write", "writeFile", "truncate", "sync", "chmod", "chown", "close"]) {
    const run = handle[name].bind(handle);
    handle[name] = async (...parameters) => {
      if (!isHarmless(name)) step();
      return run(...parameters);
    };
  }
  return handle;
}
