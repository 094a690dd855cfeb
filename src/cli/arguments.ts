/** Parses the command line into one command, or into what is wrong with it. */
import { parseArgs } from "node:util";
import { type ExportFormat, exportFormats } from "../app/export/export-chat.ts";
import { type Period, periods } from "../app/usage/report.ts";
import { modelNameAdvice, parseModelName } from "../conversation/settings/model-name.ts";
import { parseSelection, type ToolSelection } from "../conversation/settings/tool-selection.ts";
import type { BudgetLimits, BudgetName } from "../conversation/turn/budget-limits.ts";
import type { DetectorFinish } from "../providers/text-tools/detection.ts";
import { detectableProtocols } from "../providers/text-tools/protocol-ids.ts";
import { messageOf, ownValue } from "../shared/json.ts";
import { nearestWord } from "../shared/nearest.ts";
import { type McpCommand, parseMcp } from "./mcp-arguments.ts";

/** A subcommand with its arguments (`parley help`). */
export type Command =
  | {
      readonly name: "preview";
      readonly file: string;
      readonly model: string | null;
      readonly tools: string | null;
      /** A file of MCP servers. */
      readonly config: string | null;
    }
  | {
      readonly name: "run";
      readonly file: string;
      readonly model: string | null;
      readonly tools: string | null;
      readonly config: string | null;
      readonly approve: Approve;
      /** The most model requests; null: the configuration's limit. */
      readonly maxSteps: number | null;
      /** Replaces limits of the configuration. */
      readonly budget: Partial<BudgetLimits>;
      /** Opens what the file refers to although it was not written on this machine. */
      readonly trustHeader: boolean;
    }
  | { readonly name: "check"; readonly files: readonly string[]; readonly secrets: boolean }
  | { readonly name: "models"; readonly json: boolean }
  | { readonly name: "usage"; readonly period: Period }
  | {
      readonly name: "export";
      readonly file: string;
      readonly format: ExportFormat;
      /** Null: standard output. */
      readonly output: string | null;
    }
  | {
      readonly name: "calls";
      readonly protocols: readonly string[];
      /** A JSON file with a list of tools; null: every name counts as a tool. */
      readonly tools: string | null;
      readonly finish: DetectorFinish;
    }
  | McpCommand
  | { readonly name: "help" }
  | { readonly name: "version" }
  | { readonly name: "wrong"; readonly message: string };

/** Which tools the user's command line allows to be called. */
export type Approve = "none" | "all" | ToolSelection;

/** All options with two dashes; each command names those that it takes. */
const options = {
  model: { type: "string" },
  tools: { type: "string" },
  approve: { type: "string" },
  "max-steps": { type: "string" },
  "max-cost": { type: "string" },
  "max-input-tokens": { type: "string" },
  "large-reference": { type: "string" },
  protocol: { type: "string" },
  finish: { type: "string" },
  format: { type: "string" },
  output: { type: "string" },
  config: { type: "string" },
  "trust-header": { type: "boolean" },
  secrets: { type: "boolean" },
  url: { type: "string" },
  env: { type: "string", multiple: true },
  header: { type: "string", multiple: true },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** Flags that replace an option of the configuration, and whether only whole numbers make sense. */
const budgets = {
  "max-cost": { name: "max_cost", isWhole: false },
  "max-input-tokens": { name: "max_input_tokens", isWhole: true },
  "large-reference": { name: "large_reference", isWhole: true },
} as const;
const budgetFlags = [
  "max-cost",
  "max-input-tokens",
  "large-reference",
] as const satisfies readonly (keyof typeof budgets)[];

function readWords(words: readonly string[]) {
  return parseArgs({ args: [...words], options, allowPositionals: true });
}

type Flags = ReturnType<typeof readWords>["values"];

/** Everything that defines a command's arguments; `main.ts` carries the command out. */
interface CommandRow {
  /** How it is written, and what it does. */
  readonly usage: string;
  readonly flags: readonly (keyof Flags)[];
  /** Returns a sentence when the arguments make no command. */
  parse(files: readonly string[], flags: Flags): Command | string;
}

const commands: Readonly<Record<string, CommandRow>> = {
  preview: {
    usage: `parley preview FILE [--model provider/id] [--tools LIST] [--config FILE]
    Prints the request that respond would send now, as JSON. No network.
`,
    flags: ["model", "tools", "config"],
    parse(files, flags) {
      const common = parseCommon("preview", files, flags);
      return typeof common === "string" ? common : { name: "preview", ...common };
    },
  },
  run: {
    usage: `parley run FILE [--model provider/id] [--tools LIST] [--approve none|all|LIST]
           [--max-steps N] [--max-cost N] [--max-input-tokens N] [--large-reference N]
           [--config FILE] [--trust-header]
    Runs the turn on the file itself, writing it after each step.
    Exits with 0 finished, 3 waiting for approval, 4 the vendor failed,
    5 --max-steps reached, 6 the chat came from elsewhere and would open something
    (--trust-header opens it), 7 more would be spent than is allowed, 2 wrong usage,
    1 anything else.
`,
    flags: ["model", "tools", "approve", "max-steps", ...budgetFlags, "config", "trust-header"],
    parse: parseRun,
  },
  check: {
    usage: `parley check [--secrets] FILE…
    Prints FILE:LINE:COLUMN: level: message [code]; ends with 1 when there are errors.
    --secrets looks for keys and tokens instead, in the chats and the folders beside them.
`,
    flags: ["secrets"],
    parse: (files, { secrets = false }) =>
      files.length > 0 ? { name: "check", files, secrets } : "check needs at least one FILE",
  },
  models: {
    usage: `parley models [--json]
    Lists vendors and models, what each can do and costs, and which can be asked now.
    Servers whose key is there are asked which models they have, once a day.
`,
    flags: ["json"],
    parse: (files, { json = false }) =>
      files.length > 0 ? "models takes no FILE" : { name: "models", json },
  },
  usage: {
    usage: `parley usage [today|week|month|year|all]
    Shows what you spent, by day, model and chat; by default in the last 30 days.
`,
    flags: [],
    parse: parseUsage,
  },
  export: {
    usage: `parley export FILE [--format html|markdown] [--output FILE]
    Prints the chat as one HTML file or as Markdown, with its images in it and without
    thoughts, notes and private parts. --output writes a file that is not there yet.
`,
    flags: ["format", "output"],
    parse: parseExport,
  },
  calls: {
    usage: `parley calls --protocol ID[,ID] [--tools FILE] [--finish stop|length|abort|error] < TEXT
    Prints the tool calls that a model wrote as text, as JSON Lines.
`,
    flags: ["protocol", "tools", "finish"],
    parse: parseCalls,
  },
  mcp: {
    usage: `parley mcp tools [SERVER] | call SERVER TOOL JSON | check [--config FILE]
parley mcp login SERVER | logout SERVER [--config FILE]
parley mcp add NAME [--env NAME=VALUE]... -- COMMAND [ARGUMENT...]
parley mcp add NAME --url URL [--header NAME=VALUE]...
parley mcp import [PROGRAM | FILE]...
    Lists the tools of your MCP servers, makes one call, starts every server to see
    whether it answers, logs in to one, or forgets that login. The servers of FILE
    are added to those of mcp.json and config.json; a project's own files start
    nothing here. add writes a server into mcp.json; import lists the servers of
    other programs, or takes those of the programs and files that are named.
`,
    flags: ["config", "url", "env", "header"],
    parse: parseMcp,
  },
};

const others = `parley help [COMMAND]
    Prints this, or how one command is used.
parley --version
`;

/** The usage of the command among the arguments; undefined when there is none. */
function usageOfCommand(words: readonly string[]): string | undefined {
  return ownValue(commands, words.find((word) => Object.hasOwn(commands, word)) ?? "")?.usage;
}

/** The usage of the command among the arguments, or of all commands when there is none. */
export function usageOf(words: readonly string[]): string {
  const all = Object.values(commands).map(({ usage }) => usage);
  return usageOfCommand(words) ?? all.join("") + others;
}

/** The usage below an error: that of all commands would push the error off the screen. */
export function usageBelow(words: readonly string[]): string {
  const names = `Commands: ${Object.keys(commands).join(", ")}. parley help explains them.\n`;
  return usageOfCommand(words) ?? names;
}

export function parseCommand(words: readonly string[]): Command {
  const parsed = read(words);
  if (typeof parsed === "string") return wrong(parsed);
  const { values, positionals } = parsed;
  if (values.version) return { name: "version" };
  const [name, ...files] = positionals;
  const isAsked = values.help || name === "help";
  const meant = name === "help" ? files[0] : name;
  if (meant === undefined) return isAsked ? { name: "help" } : wrong("a command is missing");
  const row = ownValue(commands, meant);
  if (row === undefined) return wrong(noCommand(meant));
  if (isAsked) return { name: "help" };
  const known: readonly string[] = row.flags;
  const unexpected = Object.keys(values).find((flag) => !known.includes(flag));
  if (unexpected !== undefined) return wrong(`${meant} takes no --${unexpected}`);
  const command = row.parse(files, values);
  return typeof command === "string" ? wrong(command) : command;
}

function noCommand(name: string): string {
  const nearest = nearestWord(name, Object.keys(commands));
  const guess = nearest === null ? "" : `; did you mean ${nearest}?`;
  return `there is no command ${JSON.stringify(name)}${guess}`;
}

/** The FILE, when it is the only argument. */
function onlyFile([file, ...more]: readonly string[]): string | null {
  return file === undefined || more.length > 0 ? null : file;
}

/** What `preview` and `run` have in common. */
function parseCommon(name: string, files: readonly string[], flags: Flags) {
  const file = onlyFile(files);
  if (file === null) return `${name} takes exactly one FILE`;
  const { model } = flags;
  if (model !== undefined && parseModelName(model) === null) {
    return `--model: ${JSON.stringify(model)} is not the name of a model: ${modelNameAdvice(model)}`;
  }
  return { file, model: model ?? null, tools: flags.tools ?? null, config: flags.config ?? null };
}

function parseRun(files: readonly string[], flags: Flags): Command | string {
  const common = parseCommon("run", files, flags);
  if (typeof common === "string") return common;
  const { "max-steps": steps, "trust-header": trustHeader = false } = flags;
  const maxSteps = steps === undefined ? null : Number(steps);
  if (maxSteps !== null && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    return "--max-steps takes a whole number from 1";
  }
  const approve = parseApprove(flags.approve ?? "none");
  if (approve === null) {
    return "--approve takes none, all, or servers, tools and server.tool, with commas between";
  }
  const budget = parseBudget(flags);
  if (typeof budget === "string") return budget;
  return { name: "run", ...common, approve, maxSteps, budget, trustHeader };
}

function parseBudget(flags: Flags): Partial<BudgetLimits> | string {
  const limits: Partial<Record<BudgetName, number>> = {};
  for (const flag of budgetFlags) {
    const text = flags[flag];
    if (text === undefined) continue;
    const { name, isWhole } = budgets[flag];
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!(value > 0 && Number.isFinite(value) && (!isWhole || Number.isInteger(value)))) {
      return `--${flag} takes a ${isWhole ? "whole number from 1" : "number above 0"}`;
    }
    limits[name] = value;
  }
  return limits;
}

function parseUsage([word = "month", ...more]: readonly string[]): Command | string {
  const period = periods.find((known) => known === word);
  if (period === undefined || more.length > 0) return `usage takes one of ${periods.join(", ")}`;
  return { name: "usage", period };
}

function parseExport(files: readonly string[], flags: Flags): Command | string {
  const file = onlyFile(files);
  if (file === null) return "export takes exactly one FILE";
  const format = exportFormats.find((word) => word === (flags.format ?? "html"));
  if (format === undefined) return `--format takes one of ${exportFormats.join(", ")}`;
  // As usual in a shell, a dash means standard output.
  const output = flags.output === "-" ? null : (flags.output ?? null);
  return { name: "export", file, format, output };
}

const finishes: readonly DetectorFinish[] = ["stop", "length", "abort", "error"];

function parseCalls(files: readonly string[], flags: Flags): Command | string {
  if (files.length > 0) return "calls takes no FILE, it reads standard input";
  const protocols = (flags.protocol ?? "").split(",").map((id) => id.trim());
  const unknown = protocols.find((id) => !detectableProtocols.has(id));
  if (unknown !== undefined) {
    const ids = [...detectableProtocols.keys()].join(", ");
    return `--protocol takes some of ${ids}, not ${JSON.stringify(unknown)}`;
  }
  const finish = finishes.find((word) => word === (flags.finish ?? "stop"));
  if (finish === undefined) return `--finish takes one of ${finishes.join(", ")}`;
  return { name: "calls", protocols, tools: flags.tools ?? null, finish };
}

function read(words: readonly string[]) {
  try {
    return readWords(words);
  } catch (error) {
    const message = messageOf(error);
    // Node adds advice about "--", which is cut off.
    return message.split(/\.\s/, 1)[0] ?? message;
  }
}

function parseApprove(text: string): Approve | null {
  if (text === "none" || text === "all") return text;
  const { selection, problems } = parseSelection(text);
  const isWhole = text.split(",").every((word) => word.trim() !== "") && problems.length === 0;
  // A list that only removes would allow every other tool.
  return isWhole && !selection.others ? selection : null;
}

function wrong(message: string): Command {
  return { name: "wrong", message };
}
