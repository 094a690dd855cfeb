/** `parley`: the same loop without an editor. */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { reasonOf } from "../app/files/reason-of.ts";
import { openApp, packageVersion } from "../app/open-app.ts";
import { sayingStarts } from "../app/servers/when-started.ts";
import { messageOf } from "../shared/json.ts";
import { homeFolder, standardPaths } from "../system/standard-folders.ts";
import { takeNodeWarnings } from "../system/start/node-warnings.ts";
import { hasCode, systemSentence } from "../system/system-error.ts";
import { type Command, parseCommand, usageBelow, usageOf } from "./arguments.ts";
import { check } from "./check.ts";
import { exitCodes } from "./end.ts";
import { models } from "./models.ts";
import { preview } from "./preview.ts";
import { run } from "./run.ts";
import { forTerminal, inShell, print } from "./terminal.ts";
import { usage } from "./usage.ts";

// A user who runs a chat can do nothing about Node's warnings.
takeNodeWarnings(() => {});

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function notify(text: string): void {
  process.stderr.write(`parley: ${forTerminal(inShell(text))}\n`);
}

async function openCommandLineApp(serversFile: string | null = null) {
  return openApp({
    root,
    paths: standardPaths({ env: process.env, home: homeFolder() }),
    workingDirectory: process.cwd(),
    user: null,
    serversFile,
    log: () => {},
    notify: (_level, message) => notify(message),
  });
}

const words = process.argv.slice(2);

async function carryOut(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      print(usageOf(words));
      return exitCodes.finished;
    case "version":
      print(`${await packageVersion(root)}\n`);
      return exitCodes.finished;
    case "wrong":
      notify(`${command.message}.\n\n${usageBelow(words)}`);
      return exitCodes.wrongUsage;
    case "check":
      return check(await openCommandLineApp(), command, notify);
    case "models":
      return models(await openCommandLineApp(), command, notify);
    case "usage":
      return usage(await openCommandLineApp(), command.period);
    case "export":
      return (await import("./export.ts")).exportFile(command, notify);
    case "calls":
      return (await import("./calls.ts")).calls(command);
    case "mcp":
    case "preview":
    case "run": {
      const app = await openCommandLineApp(command.config);
      try {
        if (command.name === "mcp")
          return await (await import("./mcp.ts")).mcp(app, command, notify);
        return await sayingStarts(app, notify, () =>
          command.name === "run" ? run(app, command, notify) : preview(app, command, notify),
        );
      } finally {
        await app.close();
      }
    }
  }
}

// Messages may have no reader (`parley run … 2>&1 | head`); the work continues.
process.stderr.on("error", () => {});

let isOutputLost = false;

process.stdout.on("error", (error) => {
  // The reader of the output may have seen enough (`parley check … | head`).
  if (hasCode(error, "EPIPE") || isOutputLost) return;
  isOutputLost = true;
  notify(`The output could not be written: ${reasonOf(error)}.`);
  process.exitCode = exitCodes.failed;
});

carryOut(parseCommand(words)).then(
  (code) => {
    process.exitCode = isOutputLost ? exitCodes.failed : code;
  },
  (error: unknown) => {
    notify(systemSentence(error) ?? messageOf(error));
    process.exitCode = exitCodes.failed;
  },
);
