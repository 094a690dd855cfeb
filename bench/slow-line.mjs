/**
 * A long line to a server on this machine, as a process of its own: what is sent arrives half a round trip later, and
 * of a connection nothing is sent before a whole one is gone, since that is what TCP takes to open it.
 * Arguments: the port to go on to, milliseconds of a round trip.
 */
import { connect, createServer } from "node:net";
import { now } from "./lib/clock.mjs";

const [to, roundTrip] = process.argv.slice(2).map(Number);

/** Passes on what comes, each piece after its time: timers that end together keep their order. */
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
