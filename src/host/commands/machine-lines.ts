/** The part of `:checkhealth parley` about the machine: versions of programs, the model in use, folders, images. */
import { access, constants } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { App } from "../../app/app.ts";
import { chatModel, offlineModel } from "../../app/configuration/default-model.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import { keySource } from "../../providers/vendors/key-sources.ts";
import { messageOf } from "../../shared/json.ts";
import { outputOfCommand } from "../../system/commands.ts";
import { clipboardAdvice, clipboardImageCommands } from "../../system/programs.ts";
import { isMissing } from "../../system/system-error.ts";
import type { HealthLine } from "../lua-calls.ts";

/** Milliseconds; Neovim does not wait long for the report. */
const patienceMs = 1500;

interface Program {
  readonly command: string;
  /** What does not work without it. */
  readonly without: string;
}

const programs: readonly Program[] = [
  { command: "git", without: "@@diff@@ in a question has nothing to send" },
  {
    command: "npm",
    without: "only building from source needs it, and servers that npx starts",
  },
];

export async function machineLines(app: App): Promise<readonly HealthLine[]> {
  const lines = await Promise.all([
    versionLines(app.options.version),
    folderLines(app),
    imageLines(),
  ]);
  const { login_commands: logins } = app.now.configuration;
  const kept: HealthLine = {
    level: "ok",
    text:
      logins === null
        ? `logins of MCP servers: in ${join(app.options.stateFolder, "oauth.json")}, readable by you only`
        : `logins of MCP servers: kept by ${logins.read[0]} (login_commands)`,
  };
  return [modelLine(app), ...lines.flat(), kept];
}

/** Chooses the model as a chat without a model of its own does. */
function modelLine(app: App): HealthLine {
  const { configuration } = app.now;
  const sources = { configuration, environment: app.options.environment };
  if (configuration.model !== null) {
    const text = `model: ${configuration.model} answers, as the configuration says`;
    return { level: "ok", text };
  }
  const model = chatModel({ model: null }, sources);
  const name = formatModelName(model);
  if (model === offlineModel) {
    const fix = "Set a vendor's key in the environment; :Parley models names the variables.";
    return { level: "warn", text: `model: ${name} answers offline, since no key is set`, fix };
  }
  const source = keySource(model.provider, sources);
  return { level: "ok", text: `model: ${name} answers, since its key is there (${source})` };
}

async function versionLines(version: string): Promise<readonly HealthLine[]> {
  const found = await Promise.all(programs.map(programLine));
  return [{ level: "ok", text: `Parley ${version}` }, ...found];
}

async function programLine({ command, without }: Program): Promise<HealthLine> {
  const { outcome, stdout } = await outputOfCommand(command, ["--version"], {
    timeoutMs: patienceMs,
  });
  const version = /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0];
  if (outcome.type === "ended" && outcome.code === 0 && version !== undefined) {
    return { level: "ok", text: `${command} ${version}` };
  }
  const why = outcome.type === "missing" ? "is not on PATH" : "does not run";
  return { level: "info", text: `${command} ${why}: ${without}` };
}

async function folderLines(app: App): Promise<readonly HealthLine[]> {
  const chats = "choose another folder (:help parley-option-chat_dirs)";
  const folders = [
    ...app.now.configuration.chat_dirs.map((path) => ({ what: "chats", path, choice: chats })),
    {
      what: "state",
      path: app.options.stateFolder,
      choice: "set $XDG_STATE_HOME to another folder",
    },
  ];
  return Promise.all(
    folders.map(async ({ what, path, choice }): Promise<HealthLine> => {
      const problem = await writeProblem(path);
      if (problem === null) return { level: "ok", text: `${what}: ${path}` };
      const fix = `Make it writable, or ${choice}.`;
      return { level: "error", text: `${what}: ${path} cannot be written (${problem})`, fix };
    }),
  );
}

/** A missing folder is created in its nearest existing parent. */
async function writeProblem(path: string): Promise<string | null> {
  try {
    await access(path, constants.W_OK);
    return null;
  } catch (error) {
    const above = dirname(path);
    if (isMissing(error) && above !== path) return writeProblem(above);
    return messageOf(error);
  }
}

async function imageLines(): Promise<readonly HealthLine[]> {
  const advice = clipboardAdvice();
  if (advice === null) return [];
  const programs = clipboardImageCommands().map(([program = ""]) => program);
  const found = await Promise.all(
    programs.map(async (command) => {
      const { outcome } = await outputOfCommand(command, ["--version"], { timeoutMs: patienceMs });
      return outcome.type === "missing" ? [] : [command];
    }),
  );
  const names = found.flat().join(", ");
  return names === ""
    ? [{ level: "info", text: `images from the clipboard: install ${advice}` }]
    : [{ level: "ok", text: `images from the clipboard: ${names}` }];
}
