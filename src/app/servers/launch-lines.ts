/** Shows how a server is reached, without possible secrets, to the user who decides about its calls. */
import { hidden, shownArguments } from "../../mcp/configured/secrets.ts";
import { visible } from "../../shared/visible.ts";
import { sandboxText } from "../../system/sandbox.ts";
import { shownUrl } from "../references/targets.ts";
import type { DeclaredServer } from "./declared-servers.ts";
import { shownWord } from "./trust.ts";

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
  const { command, args, env, envFile, envPass, cwd, sandbox } = launch;
  lines.push(`command: ${[command, ...shownArguments(args)].map(shownWord).join(" ")}`);
  if (cwd !== null) lines.push(`in: ${visible(cwd)}`);
  if (sandbox !== undefined) lines.push(`sandbox: it ${visible(sandboxText(sandbox))}`);
  lines.push(...Object.entries(env).map((entry) => `env: ${variable(entry)}`));
  if (envFile !== null) lines.push(`env: all of ${visible(envFile)}`);
  if (envPass.length > 0) lines.push(`env: your ${envPass.map(shownWord).join(", ")}`);
  return lines;
}

function variable([name, value]: readonly [string, string]): string {
  const isReference = /^\$\{[^{}]*\}$/.test(value) && !value.includes(":-");
  return `${visible(name)}=${isReference ? visible(value) : hidden}`;
}
