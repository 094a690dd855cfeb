/** What a person reads on stderr is Parley's own. */
import { expect, it } from "vitest";
import { openPlace } from "./command-line.ts";

it("has no warning of Node's own", async () => {
  const place = openPlace("💬: hi\n");
  // Warns while the program runs, as Node does of what is experimental, and once it is loaded.
  const preload = place.write(
    "preload.cjs",
    "const warn = () => process.listeners('warning').some(({ name }) => name === 'onWarning') ? 0 : process.emitWarning('odd', 'ExperimentalWarning');\nsetInterval(warn, 5).unref();\n",
  );
  const ended = await place.parley(["preview", "chat.md"], {
    NODE_OPTIONS: `--require=${preload}`,
  });
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stderr).not.toMatch(/odd|Warning/);
});

it("may be closed by its reader, and the answer is there all the same", async () => {
  const place = openPlace("💬: hi\n");
  const running = place.start(["run", "chat.md"]);
  running.process.stderr?.destroy();
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(place.read()).toMatch(/^🤖:\[demo\]\n\n.+/m);
});

it("says in a sentence that the output could not be written", async () => {
  const place = openPlace("💬: hi\n");
  const preload = place.write(
    "full.cjs",
    "process.stdout._write = (piece, encoding, done) => done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }));\n",
  );
  const ended = await place.parley(["preview", "chat.md"], {
    NODE_OPTIONS: `--require=${preload}`,
  });
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toContain(
    "parley: The output could not be written: the disk is full (ENOSPC).\n",
  );
  expect(ended.stderr).not.toMatch(/^\s+at |Error:/m);
});
