/** The sandbox of commands and servers: whoever is in it speaks to no program outside, by whose hands it would run anything. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sandboxWords, socketPaths } from "../../src/system/sandbox.ts";

const isUsable = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"]).status === 0;

let root: string;
let servers: Server[];
beforeEach(() => {
  // Not below /tmp, which the sandbox has one of its own for.
  root = realpathSync(mkdtempSync(join(homedir(), ".parley-sandbox-")));
  for (const name of ["run", "work", "tmp", "run/bin"]) mkdirSync(join(root, name));
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await new Promise((done) => server.close(done));
  rmSync(root, { recursive: true });
});

async function listen(path: string): Promise<string> {
  const server = createServer((socket) => socket.end("heard"));
  servers.push(server);
  await new Promise<void>((done) => server.listen(path, done));
  return path;
}

const speak = `
const { connect } = require("node:net");
const socket = connect(process.argv[1]);
socket.on("data", (text) => process.stdout.write(text)).on("error", () => process.exit(3));
`;

describe.runIf(isUsable)("a sandbox", () => {
  it("has no socket of the session, of Neovim or of anybody else in it", async () => {
    const sockets = [
      await listen(join(root, "run", "bus")),
      await listen(join(root, "tmp", "nvim.sock")),
      await listen(join(root, "work", "nvim.sock")),
      await listen(join(root, "elsewhere.sock")),
    ];
    const environment = {
      ...process.env,
      XDG_RUNTIME_DIR: join(root, "run"),
      TMPDIR: join(root, "tmp"),
      PATH: `${join(root, "run", "bin")}:${process.env.PATH}`,
    };
    const words = await sandboxWords(
      { write: ["work"], net: true },
      {
        folder: join(root, "work"),
        path: environment.PATH,
        resolve: (name) => join(root, name),
        environment,
      },
    );
    const run = (...command: readonly string[]) => {
      const [program = "", ...rest] = [...words, ...command];
      return spawnSync(program, rest, { encoding: "utf8", timeout: 5000 });
    };
    for (const socket of sockets) {
      expect(run(process.execPath, "-e", speak, socket)).toMatchObject({ status: 3, stdout: "" });
    }
    // What it may do, it can still do.
    expect(run("sh", "-c", "echo x > made && cat made").stdout).toBe("x\n");
    expect(run("ls", join(root, "run")).stdout).toBe("bin\n");
  });
});

it("sockets are told by the system, abstract ones left out", () => {
  const table = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "0000: 00000002 00000000 00010000 0001 01 123 /run/user/1000/bus",
    "0000: 00000003 00000000 00000000 0001 03 124",
    "0000: 00000002 00000000 00010000 0001 01 125 @/tmp/.X11-unix/X0",
    "0000: 00000002 00000000 00010000 0001 01 126 ./a name.sock",
    "",
  ].join("\n");
  expect(socketPaths(table)).toEqual(["/run/user/1000/bus", "./a name.sock"]);
});
