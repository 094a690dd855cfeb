/** The recipes of the help for keychains, each with a program in place of its own that takes the same words. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { projectRoot } from "../../../scripts/lib/paths.mjs";
import { loginOptions } from "../../../src/app/configuration/option-groups.ts";
import { createLoginKeeper } from "../../../src/app/servers/login-keeper.ts";
import { isWindows, thisPlatform } from "../../../src/system/platform.ts";

/** Keeps each entry in a file of $KEPT named after it, and fails as the program does when there is none. */
const standIns: Record<string, string> = {
  pass: `
case "$1 $2 $3" in
  "show "*) [ -f "$KEPT/$(basename "$2")" ] || { echo "Error: $2 is not in the password store." >&2; exit 1; }
    cat "$KEPT/$(basename "$2")" ;;
  "insert --multiline --force") cat > "$KEPT/$(basename "$4")" ;;
  "rm --force "*) rm "$KEPT/$(basename "$3")" ;;
  *) exit 9 ;;
esac`,
  "secret-tool": `
case "$1" in
  lookup) [ "$2" = parley ] || exit 9; cat "$KEPT/$3" 2>/dev/null || exit 1 ;;
  store) [ "$3" = parley ] || exit 9; cat > "$KEPT/$4" ;;
  clear) [ "$2" = parley ] || exit 9; rm "$KEPT/$3" ;;
  *) exit 9 ;;
esac`,
  security: `
case "$1" in
  -i) read -r verb update a account s service w secret
    [ "$verb $update $a $account $s $w" = "add-generic-password -U -a parley -s -w" ] || exit 9
    printf %s "$secret" > "$KEPT/$service" ;;
  find-generic-password) [ "$2 $3 $4 $6" = "-a parley -s -w" ] || exit 9
    cat "$KEPT/$5" 2>/dev/null || { echo "The specified item could not be found in the keychain." >&2; exit 44; }
    echo ;;
  delete-generic-password) rm "$KEPT/$5" ;;
  *) exit 9 ;;
esac`,
};

const recipes = (await readFile(join(projectRoot, "doc", "parley.txt"), "utf8"))
  .split(">json\n")
  .slice(1)
  .map((block) => block.split("\n<")[0] ?? "")
  .filter((block) => block.includes('"login_commands"'))
  .map((block) => {
    const { login_commands: written } = z
      .object({ login_commands: loginOptions.login_commands.schema })
      .parse(JSON.parse(block));
    return written;
  });

const programOf = (words: readonly string[]) =>
  Object.keys(standIns).find((name) => new RegExp(`(^|[ (])${name} `).test(`${words.join(" ")} `));

describe("the recipes for keychains", () => {
  it("are there for every system", () => {
    expect(recipes.map(({ read }) => programOf(read) ?? read[0])).toEqual([
      ...["pass", "secret-tool", "security", "powershell.exe"],
    ]);
  });

  it.skipIf(isWindows(thisPlatform)).each(Object.keys(standIns))(
    "work with %s",
    async (program) => {
      const folder = await mkdtemp(join(tmpdir(), "parley-recipe-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const kept = join(folder, "kept");
      await mkdir(kept);
      await writeFile(join(folder, program), `#!/bin/sh\n${standIns[program]}\n`);
      await chmod(join(folder, program), 0o700);
      const commands = recipes.find(({ read }) => programOf(read) === program);
      if (!commands) throw new Error(`no recipe for ${program}`);
      const environment = { PATH: `${folder}:${process.env.PATH}`, KEPT: kept };
      const { clear, read, write } = commands;
      const keeper = createLoginKeeper({ read, write, ...(clear && { clear }) }, environment);
      const server = "https://mcp.example.com/x";
      const text = JSON.stringify({
        token: `${"x".repeat(1500)} 'quoted' "twice" \\ $HOME %s üöä`,
      });
      await keeper.write(server, text);
      expect(JSON.parse(await keeper.read(server))).toEqual(JSON.parse(text));
      await keeper.write("https://other.example/", "{}");
      expect(await readdir(kept)).toHaveLength(2);
      await keeper.clear(server);
      await expect(keeper.read(server)).rejects.toThrow("could not be read from your keychain");
      expect(await keeper.read("https://other.example/")).toBe("{}");
    },
  );
});
