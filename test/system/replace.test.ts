/** A file in the place of an open one: what Windows does, on every system. */
import { expect, it } from "vitest";
import { replaceBy } from "../../src/system/replace.ts";

function system(platform: NodeJS.Platform, problems: readonly string[]) {
  const left = [...problems];
  const waited: number[] = [];
  let tries = 0;
  return {
    waited,
    tries: () => tries,
    system: {
      platform,
      async rename() {
        tries += 1;
        const code = left.shift();
        if (code) throw Object.assign(new Error(code), { code });
      },
      async delay(milliseconds: number) {
        waited.push(milliseconds);
      },
    },
  };
}

it("is tried again on Windows while somebody has the file open", async () => {
  const busy = system("win32", ["EPERM", "EBUSY", "EACCES"]);
  await replaceBy("a", "b", busy.system);
  expect([busy.tries(), busy.waited.length]).toEqual([4, 3]);
});

it("is given up after about a second, with the system's own reason", async () => {
  const busy = system("win32", Array(50).fill("EPERM"));
  await expect(replaceBy("a", "b", busy.system)).rejects.toThrow("EPERM");
  expect(busy.waited.reduce((sum, each) => sum + each, 0)).toBeLessThan(1_500);
});

it("is not tried again for another reason, nor elsewhere", async () => {
  const missing = system("win32", ["ENOENT"]);
  await expect(replaceBy("a", "b", missing.system)).rejects.toThrow("ENOENT");
  const linux = system("linux", ["EPERM"]);
  await expect(replaceBy("a", "b", linux.system)).rejects.toThrow("EPERM");
  expect([missing.tries(), linux.tries()]).toEqual([1, 1]);
});
