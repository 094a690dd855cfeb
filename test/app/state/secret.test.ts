import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecret, localSecret } from "../../../src/app/state/secret.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "parley-secret-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the local secret", () => {
  it("is made once, readable only for the user", async () => {
    const folder = join(root, "state", "parley");
    const secret = await localSecret(folder);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await localSecret(folder)).toBe(secret);
    expect(readdirSync(folder)).toEqual(["secret"]);
    if (process.platform === "win32") return;
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "secret")).mode & 0o777).toBe(0o600);
  });

  it("is the same for all who ask at once", async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => localSecret(root)));
    expect(new Set(secrets).size).toBe(1);
    expect(readdirSync(root)).toEqual(["secret"]);
  });

  it.each(["", "0", "0".repeat(65), `x${"0".repeat(64)}`])(
    "is made again when it is damaged: %j",
    async (text) => {
      writeFileSync(join(root, "secret"), text);
      expect(await createSecret(root).find()).toBeNull();
      const secret = await localSecret(root);
      expect(await createSecret(root).find()).toBe(secret);
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect(await localSecret(root)).toBe(secret);
    },
  );

  it("is one of this process where none can be kept", async () => {
    const file = join(root, "file");
    writeFileSync(file, "");
    const secret = createSecret(join(file, "state"));
    expect(await secret.find()).toBeNull();
    const own = await secret.own();
    expect(own).toMatch(/^[0-9a-f]{64}$/);
    expect([await secret.own(), await secret.find()]).toEqual([own, own]);
  });

  it.skipIf(process.platform === "win32")(
    "is one of this process where its name is taken by what cannot be read",
    async () => {
      symlinkSync("nowhere", join(root, "secret"));
      const secret = createSecret(root);
      const own = await secret.own();
      expect([await secret.own(), await secret.find()]).toEqual([own, own]);
    },
  );
});
