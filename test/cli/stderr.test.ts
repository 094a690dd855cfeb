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
