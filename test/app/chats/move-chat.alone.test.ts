/** A chat that is moved to another file system, or while something is written beside it. */
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { moveChat } from "../../../src/app/chats/move-chat.ts";

vi.mock("node:fs/promises", { spy: true });

const failure = (code: string) => Object.assign(new Error(code), { code });

it("is whole in one place, and in the other once its files are there", async () => {
  const home = await mkdtemp(join(tmpdir(), "parley-move-"));
  onTestFinished(() => rm(home, { recursive: true }));
  const [from, to] = [join(home, "old.md"), join(home, "other", "new.md")];
  await mkdir(`${from}.files`);
  await mkdir(join(home, "other"));
  await writeFile(from, "💬: hi\n");
  await writeFile(join(`${from}.files`, "a.png"), "image");
  const isFolder = (path: unknown) => path === `${from}.files`;
  const system = await vi.importActual<typeof import("node:fs/promises")>("node:fs/promises");
  vi.mocked(rename).mockImplementation(async (one, other) => {
    if (isFolder(one)) throw failure("EXDEV");
    await system.rename(one, other);
  });
  vi.mocked(cp).mockImplementationOnce(async (_, place) => {
    await system.mkdir(String(place));
    await system.writeFile(join(String(place), "half.png"), "im");
    throw failure("ENOSPC");
  });
  const stateFolder = join(home, "state");
  const keep = (written: Promise<void>) => written;
  const move = () => moveChat(from, to, { stateFolder, chatFolders: [], keep });
  await expect(move()).rejects.toThrow("ENOSPC");
  expect(await readdir(join(home, "other"))).toEqual([]);
  expect(await readFile(join(`${from}.files`, "a.png"), "utf8")).toBe("image");

  await move();
  expect((await readdir(home)).sort()).toEqual(["other", "state"]);
  expect((await readdir(join(home, "other"))).sort()).toEqual(["new.md", "new.md.files"]);
  expect(await readFile(join(`${to}.files`, "a.png"), "utf8")).toBe("image");
});

it("leaves a file that came beside the old name while it was moved", async () => {
  const home = await mkdtemp(join(tmpdir(), "parley-move-"));
  onTestFinished(() => rm(home, { recursive: true }));
  const [from, to] = [join(home, "old.md"), join(home, "new.md")];
  await mkdir(`${from}.files`);
  await writeFile(from, "💬: hi\n");
  const system = await vi.importActual<typeof import("node:fs/promises")>("node:fs/promises");
  vi.mocked(rename).mockImplementation(async (one, other) => {
    await system.rename(one, other);
    if (one !== `${from}.files`) return;
    await system.mkdir(one);
    await system.writeFile(join(one, "pasted.png"), "image");
  });
  const keep = (written: Promise<void>) => written;
  await moveChat(from, to, { stateFolder: join(home, "state"), chatFolders: [], keep });
  expect(await readdir(`${from}.files`)).toEqual(["pasted.png"]);
});
