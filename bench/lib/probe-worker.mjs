/**
 * Sends Neovim a request every millisecond over its own connection and reports how long each one waited. Like a key, a
 * request waits for everything that is queued for the main loop; a timer would hardly show that.
 */
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { now } from "./clock.mjs";

// Ids from 65536 on take five bytes, so that every response has the same length: [1, id, nil, 1].
const firstId = 0x10000;
const answerBytes = 9;

const socket = connect(workerData.path);
let nextId = firstId;
let sent = [];
let waits = [];
let received = 0;
let timer = null;
let whenIdle = null;

function request(id) {
  const message = Buffer.alloc(2 + 5 + 10 + 3);
  message.set([0x94, 0x00, 0xce]);
  message.writeUInt32BE(id, 3);
  message.set([0xa9], 7);
  message.write("nvim_eval", 8, "latin1");
  message.set([0x91, 0xa1, 0x31], 17);
  return message;
}

function send() {
  sent.push(now());
  socket.write(request(nextId));
  nextId = nextId === 0xffffffff ? firstId : nextId + 1;
}

socket.on("data", (data) => {
  const at = now();
  received += data.length;
  for (; received >= answerBytes; received -= answerBytes) waits.push(at - sent.shift());
  if (sent.length === 0) whenIdle?.();
});
socket.on("error", () => whenIdle?.());

parentPort.on("message", async ({ action, everyMs }) => {
  if (action === "start") {
    sent = [];
    waits = [];
    timer = setInterval(send, everyMs);
  } else if (action === "stop") {
    clearInterval(timer);
    if (sent.length > 0) await new Promise((resolve) => (whenIdle = resolve));
    whenIdle = null;
    parentPort.postMessage({ waits });
  } else {
    socket.destroy();
    parentPort.close();
  }
});
socket.on("connect", () => parentPort.postMessage({ connected: true }));
