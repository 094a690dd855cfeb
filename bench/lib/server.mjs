/** The bench's interface to the model server: a plan for the next answers, and events with their times. */
import { fork } from "node:child_process";
import { until } from "./clock.mjs";

export async function startServer() {
  const child = fork(new URL("../model-server.mjs", import.meta.url), { stdio: "inherit" });
  let events = [];
  let tag = 0;
  child.on("message", (message) => events.push(message));
  const heard = (type, patienceMs) =>
    until(`the server's ${type}`, () => events.find((event) => event.type === type), patienceMs);
  const { port, securePort } = await heard("listening");
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    url,
    securePort,
    environment: { OPENAI_API_KEY: "sk-bench", OPENAI_BASE_URL: url },
    /** Sets how the next requests are answered and clears the events. Returns the tag of the answer's words. */
    async plan(plan) {
      events = [];
      tag += 1;
      child.send({ ...plan, tag });
      await heard("ready");
      return tag;
    },
    heard,
    hasHeard: (type) => events.some((event) => event.type === type),
    close: () => child.disconnect(),
  };
}
