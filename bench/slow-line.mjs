/**
 * Simulates network latency to a server on this machine, in its own process: data arrives half a round trip later, and
 * a new connection carries no data for a whole round trip, which is what opening it over TCP takes.
 * Arguments: the port to forward to, and the round trip in milliseconds.
 */
import { connect, createServer } from "node:net";
import { now } from "./lib/clock.mjs";

const [to, roundTrip] = process.argv.slice(2).map(Number);

/** Forwards each chunk after its delay. Timers that end at the same time keep their order. */
function pass(from, into, openAt) {
  const later = (act) => setTimeout(act, Math.max(0, openAt - now()) + roundTrip / 2);
  from.on("data", (piece) => later(() => into.write(piece)));
  from.on("end", () => later(() => into.end()));
  from.on("error", () => into.destroy());
}

const server = createServer((near) => {
  const far = connect(to, "127.0.0.1");
  pass(near, far, now() + roundTrip);
  pass(far, near, 0);
});
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
