/** A server that is to run in a sandbox: the words that start it, or no start at all. */
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StdioTransport } from "../../../src/mcp/transport/stdio-transport.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "parley-sandbox-")));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Says where it runs, and answers nothing. */
const server = `require("node:fs").writeFileSync("ran", process.cwd()); setInterval(() => {}, 1000)`;

function transport(sandbox: object) {
  return new StdioTransport({
    ...{ command: process.execPath, args: ["-e", server], cwd: folder },
    sandbox,
  });
}

const ran = () => readFile(join(folder, "ran"), "utf8").catch(() => null);

describe.skipIf(process.platform !== "linux")("a server in a sandbox", () => {
  it("does not start where none is to be had", async () => {
    vi.stubEnv("PATH", folder);
    await expect(transport({}).start()).rejects.toThrow(
      "asks for a sandbox, so nothing was started: bubblewrap (bwrap) is not installed.",
    );
    expect(await ran()).toBe(null);
  });

  it("is started by bubblewrap, with its own words behind those of the sandbox", async () => {
    const words = join(folder, "words");
    const bwrap = `#!/bin/sh
printf '%s\\n' "$@" > "${words}"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`;
    await writeFile(join(folder, "bwrap"), bwrap);
    await chmod(join(folder, "bwrap"), 0o755);
    vi.stubEnv("PATH", [folder, dirname(process.execPath), "/bin", "/usr/bin"].join(delimiter));
    const started = transport({ write: [folder], net: false });
    await started.start();
    await expect.poll(ran).toBe(folder);
    await started.close();
    const said = (await readFile(words, "utf8")).split("\n");
    expect(said.slice(0, 3)).toEqual(["--ro-bind", "/", "/"]);
    expect(said.join(" ")).toContain(`--bind ${folder} ${folder} --unshare-all --new-session`);
    expect(said.slice(said.indexOf("--") + 1)).toEqual([process.execPath, "-e", server, ""]);
  });
});
