/** Git must not convert the line endings of test cases that are about line endings. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/paths.mjs";

it.runIf(existsSync(join(projectRoot, ".git")))(
  ".gitattributes keeps files with CRLF as they are and checks out src/ with LF",
  () => {
    const listed = execFileSync("git", ["ls-files", "--eol"], {
      cwd: projectRoot,
      encoding: "utf8",
    });
    const lines = listed.trim().split("\n");
    const withReturns = lines.filter((line) => /^i\/(crlf|mixed)/.test(line));
    expect(withReturns.length).toBeGreaterThan(0);
    expect(withReturns.filter((line) => !line.includes("attr/-text"))).toEqual([]);
    const texts = lines.filter((line) => /^i\/lf/.test(line) && line.includes("src/"));
    expect(texts.filter((line) => !/attr\/text=auto eol=lf/.test(line))).toEqual([]);
  },
);
