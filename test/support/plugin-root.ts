/** The plugin as it is built, but with another server behind the built-in mock. */
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projectRoot } from "../../scripts/lib/paths.mjs";
import { bundled } from "./bundled.ts";

export interface OtherRoot {
  /** For `NeovimOptions.home`: the plugin lies in it. */
  readonly home: string;
  /** For `NeovimOptions.init`. */
  readonly init: string;
  /** The server's own folder: its files are how a test speaks with it. */
  readonly folder: string;
}

/** `server` is the address of a module whose `serve(folder)` speaks MCP over stdio. */
export async function installPlugin(server: string): Promise<OtherRoot> {
  const home = await mkdtemp(join(tmpdir(), "parley-root-"));
  const root = join(home, "plugin-root");
  const dist = join(root, "dist");
  await mkdir(dist, { recursive: true });
  await mkdir(join(root, "scripts"));
  for (const name of ["lua", "plugin", "doc", join("scripts", "supported.json")]) {
    await symlink(join(projectRoot, name), join(root, name));
  }
  for (const name of await readdir(join(projectRoot, "dist"))) {
    if (name !== "mock-server.js") {
      await symlink(join(projectRoot, "dist", name), join(dist, name));
    }
  }
  const path = JSON.stringify(fileURLToPath(server));
  const program = `import { serve } from ${path};\nawait serve(import.meta.dirname);\n`;
  await writeFile(join(dist, "mock-server.js"), await bundled(program));
  const { version } = JSON.parse(await readFile(join(projectRoot, "package.json"), "utf8"));
  await writeFile(join(root, "package.json"), JSON.stringify({ type: "module", version }));
  const init = `vim.opt.runtimepath:remove(${JSON.stringify(projectRoot)})
vim.opt.runtimepath:prepend(${JSON.stringify(root)})`;
  return { home, init, folder: dist };
}
