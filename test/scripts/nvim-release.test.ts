import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { installFromRelease } from "../../scripts/lib/nvim-install.mjs";
import { folderWith } from "./folder.ts";

describe.runIf(process.platform !== "win32")("installing a release of Neovim", () => {
  it("unpacks the archive into a folder named after its version, with a short path to the binary", async () => {
    const source = folderWith({ "nvim-any/bin/nvim": "#!/bin/sh\necho NVIM v0.12.4\n" });
    chmodSync(join(source, "nvim-any", "bin", "nvim"), 0o755);
    execFileSync("tar", ["-czf", "archive.tar.gz", "nvim-any"], { cwd: source });
    const address = await serve((path) =>
      path.startsWith("/v0.12.4/nvim-") ? readFileSync(join(source, "archive.tar.gz")) : undefined,
    );
    const folder = folderWith({});
    const temporary = folderWith({});
    await installFromRelease({ wanted: "0.12", folder, temporary, address });
    const output = execFileSync(join(folder, "0.12.4", "nvim"), ["--version"]);
    expect(output.toString()).toContain("NVIM v0.12.4");
  });

  it("fails with the address when the archive does not exist", async () => {
    const address = await serve(() => undefined);
    const [folder, temporary] = [folderWith({}), folderWith({})];
    const install = installFromRelease({ wanted: "0.10", folder, temporary, address });
    await expect(install).rejects.toThrow(/\/v0\.10\.4\/nvim-.* answered 404/);
  });
});

async function serve(find: (path: string) => Buffer | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const found = find(request.url ?? "");
    response.writeHead(found ? 200 : 404).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
