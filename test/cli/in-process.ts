/** Runs actions of the command line inside the test, where a separate process would make no difference. */
import { join } from "node:path";
import { vi } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import type { App } from "../../src/app/app.ts";
import { openApp } from "../../src/app/open-app.ts";

export interface Acted {
  readonly code: number;
  readonly stdout: string;
  /** The messages for the user. */
  readonly told: readonly string[];
}

export interface OpenedApp {
  act(action: (app: App, tell: (text: string) => void) => Promise<number>): Promise<Acted>;
  close(): Promise<void>;
}

/** An app in the folder, which contains its configuration (`config/parley`) and all its data. */
export async function openIn(
  folder: string,
  serversFile: string | null = null,
): Promise<OpenedApp> {
  let told: string[] = [];
  const tell = (text: string) => void told.push(text);
  const place = (name: string) => join(folder, name);
  const app = await openApp({
    root: projectRoot,
    paths: {
      config: place("config"),
      data: place("data"),
      state: place("state"),
      log: place("log"),
    },
    workingDirectory: folder,
    user: null,
    serversFile,
    log: () => {},
    notify: (_, message) => tell(message),
  });
  return {
    async act(action) {
      let stdout = "";
      const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
        stdout += String(chunk);
        return true;
      });
      try {
        return { code: await action(app, tell), stdout, told };
      } finally {
        write.mockRestore();
        told = [];
      }
    },
    close: () => app.close(),
  };
}
