/** Shows how a server is reached, without possible secrets, to the user who decides about its calls. */
import type { StdioLaunch } from "../../mcp/configured/entry.ts";
import { hidden, shownArguments } from "../../mcp/configured/secrets.ts";
import { visible } from "../../shared/visible.ts";
import { sandboxText } from "../../system/sandbox.ts";
import { shownUrl } from "../references/targets.ts";
import type { DeclaredServer } from "./declared-servers.ts";

/** Variables are shown as written, without their values. */
export function launchLines({ entry: { launch }, from }: DeclaredServer): readonly string[] {
  const lines = [`from: ${visible(from)}`];
  if (launch.type === "remote") {
    const { url, headers } = launch;
    lines.push(
      `url: ${URL.canParse(url) ? visible(shownUrl(new URL(url))) : visible(url.replace(/[?#].*/s, ""))}`,
    );
    return [...lines, ...Object.entries(headers).map((entry) => `header: ${variable(entry)}`)];
  }
  const { args, env, cwd } = launch;
  return [
    ...lines,
    ...processLines(launch, {
      args: shownArguments(args),
      folder: cwd,
      variables: Object.entries(env).map(variable),
    }),
  ];
}

/** What a process is started with. The caller says what is shown of its arguments and variables. */
export function processLines(
  { command, envFile, envPass, sandbox }: StdioLaunch,
  {
    args,
    folder,
    variables,
  }: {
    readonly args: readonly string[];
    readonly folder: string | null;
    readonly variables: readonly string[];
  },
): readonly string[] {
  return [
    `command: ${[command, ...args].map(shownWord).join(" ")}`,
    ...(folder === null ? [] : [`in: ${visible(folder)}`]),
    ...variables.map((text) => `env: ${text}`),
    ...(envFile === null ? [] : [`env: all of ${visible(envFile)}`]),
    ...(envPass.length === 0 ? [] : [`env: your ${envPass.map(shownWord).join(", ")}`]),
    ...(sandbox === undefined ? [] : [`sandbox: it ${visible(sandboxText(sandbox))}`]),
  ];
}

/** Quotes words that contain spaces or quotes, to tell them apart. */
export function shownWord(word: string): string {
  const shown = visible(word);
  return /^[^\s"'\\]+$/.test(shown) ? shown : visible(JSON.stringify(word));
}

function variable([name, value]: readonly [string, string]): string {
  const isReference = /^\$\{[^{}]*\}$/.test(value) && !value.includes(":-");
  return `${visible(name)}=${isReference ? visible(value) : hidden}`;
}
