/** Only Parley's own messages appear on stderr. */
import { expect, it } from "vitest";
import { openPlace } from "./command-line.ts";

it("stderr contains no warnings from Node", async () => {
  const place = openPlace("💬: hi\n");
  // Emits a warning while the program runs, as Node does for experimental features.
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

it("parley run finishes the answer even if stderr is closed", async () => {
  const place = openPlace("💬: hi\n");
  const running = place.start(["run", "chat.md"]);
  running.process.stderr?.destroy();
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(place.read()).toMatch(/^🤖:\[demo\]\n\n.+/m);
});

it("an error when writing the output is reported in a sentence", async () => {
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
