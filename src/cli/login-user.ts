/** The user at a terminal who logs in. */
import { createInterface } from "node:readline";
import type { LoginUser } from "../app/servers/logins.ts";
import type { Visit } from "../mcp/oauth/flow.ts";
import { visible } from "../shared/visible.ts";
import { startDetached } from "../system/commands.ts";
import { openCommand } from "../system/programs.ts";

export function loginAtTerminal(notify: (text: string) => void): LoginUser {
  return {
    async visit(server, { url, lines }, signal) {
      notify(`The MCP server ${visible(server)} wants you to log in at this address:`);
      for (const line of lines) notify(line);
      notify(
        "Type y to open it in the browser of this machine. Or open it anywhere, and paste the address where the browser ends up. Type n to cancel.",
      );
      return readVisit(notify, url, signal);
    },
    // Nothing else runs here in the meantime.
    paste: async () => null,
  };
}

/** Waits for the first line that decides; at the end of input, for the browser's answer. */
function readVisit(
  notify: (text: string) => void,
  url: string,
  signal: AbortSignal,
): Promise<Visit> {
  const lines = createInterface({ input: process.stdin });
  signal.addEventListener("abort", () => lines.close(), { once: true });
  return new Promise<Visit>((decide) => {
    lines.on("line", (line) => {
      const text = line.trim();
      if (/^y(es)?$/i.test(text)) {
        openInBrowser(url, notify);
        return;
      }
      decide(/^(no?)?$/i.test(text) ? { type: "declined" } : { type: "pasted", text });
      lines.close();
    });
    lines.on("close", () => {
      // Nothing reads it any longer, and an open pipe would keep the program alive.
      process.stdin.destroy();
      decide({ type: "opened" });
    });
  });
}

/** Passes `url`, an http or https address, as an argument, without a shell. */
function openInBrowser(url: string, notify: (text: string) => void): void {
  const [program, ...args] = openCommand(url);
  startDetached(program, args, (error) => {
    notify(`${program} could not be started (${error.message}); open the address yourself.`);
  });
}
