/** The minimum for Node: one request with every server-sent event parsed. Reports the time of the last one. */
import { now } from "./lib/clock.mjs";

for (let run = 0; run < Number(process.argv[3]); run += 1) {
  const response = await fetch(process.argv[2], { method: "POST", body: "{}" });
  const decoder = new TextDecoder();
  let rest = "";
  let text = "";
  for await (const piece of response.body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data: {"))
        text += JSON.parse(line.slice(6)).choices[0].delta.content ?? "";
    }
  }
  process.send({ at: now(), length: text.length });
}
