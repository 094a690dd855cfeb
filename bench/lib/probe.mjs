/** Measures how long Neovim lets a request wait, over a second connection in a separate thread. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

export async function startProbe(path) {
  const worker = new Worker(new URL("./probe-worker.mjs", import.meta.url), {
    workerData: { path },
  });
  await once(worker, "message");
  return {
    start: (everyMs = 1) => worker.postMessage({ action: "start", everyMs }),
    /** Returns the waits of all requests since the start, in milliseconds. */
    async stop() {
      const answer = once(worker, "message");
      worker.postMessage({ action: "stop" });
      const [{ waits }] = await answer;
      return waits;
    },
    close: () => worker.postMessage({ action: "close" }),
  };
}
