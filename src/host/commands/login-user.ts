/** The questions of a login, for the user in Neovim. */
import type { LoginUser } from "../../app/servers/logins.ts";
import { visible } from "../../shared/visible.ts";
import type { OpenHost } from "../context.ts";

const open = "Open it in the browser";
const show = "Show the address, to open it elsewhere";

export function loginInNeovim({ ask, lua, notify }: OpenHost): LoginUser {
  return {
    async visit(server, { host, url, lines }, signal) {
      const name = visible(server);
      const again = `:Parley mcp login ${name}`;
      const chosen = await ask(
        {
          kind: "select",
          prompt: `Log in to the MCP server ${name} at ${host}?`,
          details: ["It wants you to log in at this address:", ...lines],
          items: [open, show, "No"],
        },
        signal,
      );
      if (chosen !== open && chosen !== show) return { type: "declined" };
      if (chosen === open) {
        const { status, message } = await lua.call("open_address", { address: url });
        if (status === "opened") {
          notify("info", `Waiting for the browser; ${again} again takes a pasted answer.`);
          return { type: "opened" };
        }
        notify("warn", `The browser could not be opened (${message ?? "no reason given"}).`);
      }
      const text = [
        `Open this address in a browser, on any machine, to log in to ${name}:`,
        "",
        url,
        "",
        "If the last page cannot be reached, copy its address, and",
        `${again}`,
        "takes it.",
      ];
      await lua.call("open", { what: text, options: { title: "mcp login" } });
      return { type: "opened" };
    },
    async paste(server) {
      const prompt = `Address the browser ended at, for ${visible(server)} (empty: log in again): `;
      const text = await ask({ kind: "input", prompt, secret: true });
      return typeof text === "string" && text.trim() !== "" ? text : null;
    },
  };
}
