/** The same chat, question and answers for Parley and other plugins whose code is available, one after the other. */
import { now, pause, until } from "../lib/clock.mjs";
import { startEditor, typeKeys } from "../lib/editor.mjs";
import { environmentOf, exchangesOf, initOfPeer, parley, peersIn } from "../lib/peers.mjs";
import { cpuMs } from "../lib/processes.mjs";
import { median, number, spread } from "../lib/statistics.mjs";

const usual = 10;
const long = 1000;
/** The timeout of an answer, in milliseconds. */
const patience = 30_000;

/** Opens a Neovim with a chat that has not sent a request yet. */
async function openChat({ nvim, server, folder }, peer, exchanges = usual) {
  const environment = { ...server.environment, ...(await environmentOf(peer)) };
  const isParley = peer === parley;
  const editor = await startEditor(nvim, {
    kind: isParley ? "parley" : peer.id,
    file: peer.file,
    text: peer.text(exchanges),
    environment,
    ...(isParley ? {} : { after: initOfPeer(peer, folder, server), isReady: "return true" }),
  });
  await editor.lua(peer.open(exchanges));
  if (!isParley) await until(peer.id, () => editor.lua(peer.isReady));
  await pause(500);
  if (peer.asksForHistory) await askForHistory(editor, peer, server);
  return editor;
}

async function askForHistory(editor, peer, server) {
  for (const { question, answer } of exchangesOf(usual)) {
    await editor.lua(peer.ask(question));
    await server.plan({ wire: peer.wire, deltas: 1, say: answer });
    await editor.input(peer.respond);
    await server.heard("written");
    await pause(300);
  }
}

async function send(editor, peer, server, plan) {
  await editor.lua(peer.ask("and what of this?"));
  editor.screen.follow(await server.plan({ wire: peer.wire, ...plan }));
  await pause(300);
  const begun = now();
  await editor.input(peer.respond);
  const { whole } = await server.heard("request");
  return whole - begun;
}

/** Waits until the last word is on the screen and everything after it is done. */
async function shown(editor, server, deltas) {
  const { times } = await server.heard("written", patience);
  await until(
    `the last word of ${editor.kind}`,
    () => editor.screen.newest >= deltas - 1,
    patience,
  );
  await pause(300);
  return times;
}

/** Returns the measurements of one plugin by row. */
async function measure(context, peer) {
  const { server, runs, seconds } = context;
  const found = {
    first: [],
    later: [],
    delta: [],
    paced: [],
    cpu: [],
    flat: [],
    flatCpu: [],
    stop: [],
    keys: await keysIn(context, peer, usual),
    keysLong: await keysIn(context, peer, long),
  };
  // Long enough that the first word appears separately from the end.
  const plan = { deltas: 20, perSecond: 100, afterMs: 100 };
  const firsts = peer.asksForHistory ? 0 : runs;
  for (let run = 0; run < Math.max(firsts, 1); run += 1) {
    const editor = await openChat(context, peer);
    const sent = await send(editor, peer, server, plan);
    if (run < firsts) found.first.push(sent);
    await shown(editor, server, plan.deltas);
    if (run < firsts - 1) {
      await editor.close();
      continue;
    }
    for (let again = 0; again < runs; again += 1) {
      found.later.push(await send(editor, peer, server, plan));
      const [written] = await shown(editor, server, plan.deltas);
      found.delta.push(editor.screen.seen[0] - written);
    }
    await stream(
      editor,
      peer,
      context,
      { deltas: 100 * seconds, perSecond: 100 },
      (used, times) => {
        found.cpu.push((used * 3) / seconds);
        found.paced.push(...times.map((at, index) => editor.screen.seen[index] - at));
      },
    );
    if (peer.follows) {
      await stream(editor, peer, context, { deltas: 2000 }, (used, times) => {
        found.flatCpu.push(used);
        found.flat.push(editor.screen.seen[1999] - times[0]);
      });
    }
    await editor.close();
  }
  for (let run = 0; run < runs; run += 1) found.stop.push(await stopOnce(context, peer));
  return found;
}

/** Returns the milliseconds of each key in a chat with this many exchanges, or none if there is no way to open one. */
async function keysIn(context, peer, exchanges) {
  if (peer.asksForHistory && exchanges > usual) return [];
  const editor = await openChat(context, peer, exchanges);
  const { times } = await typeKeys(editor, context.runs * 8);
  await editor.close();
  return times;
}

/** Measures a stop in a separate chat, because plugins differ in the text below an unfinished answer. */
async function stopOnce(context, peer) {
  const { server } = context;
  const editor = await openChat(context, peer);
  await send(editor, peer, server, { deltas: 400, perSecond: 20, afterMs: 20 });
  // Not until a word is visible: Flemma shows none for seconds at this pace.
  await pause(300);
  const begun = now();
  await editor.input(peer.stop);
  const { at } = await server.heard("closed", patience);
  await editor.close();
  return at - begun;
}

async function stream(editor, peer, { server }, plan, take) {
  await send(editor, peer, server, { afterMs: 100, ...plan });
  const before = cpuMs(editor.pid);
  const times = await shown(editor, server, plan.deltas);
  take(cpuMs(editor.pid) - before, times);
}

const names = [
  ["first", "first send of a session → request complete, 10 exchanges, ms", spread],
  ["later", "later sends, ms", spread],
  ["delta", "first delta visible, ms", spread],
  ["paced", "a delta visible at 100 a second, median, ms", (values) => number(median(values))],
  ["cpu", "Neovim's CPU for three seconds of it, ms", spread],
  ["flat", "2,000 deltas flat out, all visible, ms", spread],
  ["flatCpu", "Neovim's CPU for them, ms", spread],
  ["stop", "stop → socket closed, at 20 deltas a second, ms", spread],
  ["keys", "a key, 10 exchanges, ms", spread],
  ["keysLong", "a key, 1,000 exchanges, ms", spread],
];

/** Returns no rows without the plugins' code, in the folder `PARLEY_PEERS`. */
export async function peerRows(context) {
  const folder = process.env.PARLEY_PEERS ?? "";
  if (folder === "") return [];
  const { there, missing } = peersIn(folder);
  const measured = [];
  for (const peer of [parley, ...there]) {
    measured.push({ id: peer.id, found: await measure({ ...context, folder }, peer) });
  }
  const absent = missing.map((id) => ({
    what: `${id} is not in ${folder}, or not built`,
    parley: "",
  }));
  const [own, ...others] = measured;
  const rows = names.map(([key, what, words]) => ({
    what,
    parley: words(own.found[key]),
    others: others.map(({ id, found }) => `${id} ${words(found[key])}`).join(" · "),
  }));
  return [...rows, ...absent];
}
