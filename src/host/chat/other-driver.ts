/** Watches another process that answers a chat open here: reports it, and reads the chat again after its saves. */
import { watchDriver } from "../../app/state/locks.ts";
import type { OpenHost } from "../context.ts";
import { log } from "../log.ts";

export interface OtherDriver {
  /** The pid of the process that is answering the chat; null: no other process is. */
  pid(): number | null;
  /** Watches the chat at this path from now on; an empty path means none. */
  follow(path: string): void;
  close(): void;
}

export function createOtherDriver(
  { lua, notify, app }: Pick<OpenHost, "lua" | "notify" | "app">,
  buf: number,
  draw: () => void,
): OtherDriver {
  let driver: number | null = null;
  let followed = "";
  /** The user was told of the changes that the buffer has now. */
  let isReported = false;
  let end = () => {};

  const reread = async (by: number) => {
    const { status } = await lua.call("reread", { buf });
    const wasReported = isReported;
    isReported = status === "modified";
    if (!isReported || wasReported) return;
    const message = `Another process (pid ${by}) is answering this chat, and this buffer has unsaved changes, so it is not reloaded. Parley asks before it overwrites the other text.`;
    notify("warn", message, buf);
  };

  return {
    pid: () => driver,
    follow(path) {
      if (path === followed) return;
      end();
      end = () => {};
      followed = path;
      if (path === "") return;
      const { stateFolder } = app.options;
      end = watchDriver({
        stateFolder,
        path,
        log: log.info,
        onDriver(pid) {
          // The last save may have come right before the process finished.
          const by = pid ?? driver;
          driver = pid;
          draw();
          if (by !== null) reread(by).catch((error) => log.error("reread", error));
        },
      });
    },
    close: () => end(),
  };
}
