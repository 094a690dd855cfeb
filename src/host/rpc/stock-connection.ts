/** The connection of Neovim's own node host, which a host that was loaded there shares. */
import type { NeovimClient } from "neovim";
import type { Connection } from "./connection.ts";

const bufferEvents = ["lines", "changedtick", "detach"] as const;

export function stockConnection(nvim: NeovimClient): Connection {
  return {
    request: (method, parameters) => nvim.request(method, [...parameters]),
    onNotification(listen) {
      nvim.on("notification", listen);
    },
    async listen(number, listener) {
      const buffer = (await nvim.buffers).find(({ id }) => id === number);
      if (buffer === undefined) return null;
      // As the package hands them on: the buffer first.
      const listeners = bufferEvents.map(
        (event) => [event, (_: unknown, ...rest: unknown[]) => listener(event, rest)] as const,
      );
      for (const [event, hear] of listeners) nvim.attachBuffer(buffer, event, hear);
      return () => {
        for (const [event, hear] of listeners) nvim.detachBuffer(buffer, event, hear);
      };
    },
  };
}
