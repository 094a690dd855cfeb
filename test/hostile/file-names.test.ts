/** A file by another spelling of its name, as some file system takes it for the same: what is asked about stays so. */
import { expect, it } from "vitest";
import { looksSecret } from "../../src/app/references/secret-files.ts";
import { isExecutedByOthers } from "../../src/app/tools/executed-files.ts";
import { changeDenialOf, pathFrame } from "../../src/app/tools/policy.ts";
import fc from "../support/property.ts";

/** Letters that a file system without case takes for the same one. */
const others: Readonly<Record<string, readonly string[]>> = {
  s: ["S", "ſ", "ｓ"],
  k: ["K", "\u212a"],
  e: ["E", "ｅ"],
  é: ["e\u0301", "É"],
};
const unseen = fc.constantFrom("", "", "", "\u200c", "\u200d", "\ufeff");
const letter = (one: string) =>
  fc
    .tuple(fc.constantFrom(one, one.toUpperCase(), ...(others[one] ?? [])), unseen)
    .map((parts) => parts.join(""));
const end = fc.constantFrom("", ".", "..", " ", " . ", "::$DATA", ":x");
const spelled = (name: string) =>
  fc.tuple(...[...name].map(letter), end).map((letters) => letters.join(""));

const executed = ["makefile", ".bashrc", ".envrc", "package.json", "tasks.py", "conftest.py"];
const secret = [".env", "secrets", "id_rsa", "credentials", "server.key"];

it.each(executed)("other programs run %s, however it is spelled", (name) => {
  fc.assert(
    fc.property(spelled(name), (text) => {
      expect(isExecutedByOthers(`/p/${text}`)).toBe(true);
    }),
  );
});

it.each(secret)("%s looks secret, however it is spelled", (name) => {
  fc.assert(
    fc.property(spelled(name), (text) => {
      expect(looksSecret(`/p/${text}`)).toBe(true);
    }),
  );
});

it.each(["clé.key", "notes.txt"])(
  "a rule that forbids a change of %s holds, however it is spelled",
  (name) => {
    const denial = changeDenialOf(
      [{ tool: "edit_file", arguments: { path: `sub/${name}` } }],
      pathFrame("/p"),
    );
    fc.assert(
      fc.property(spelled(name), (text) => {
        const absolute = `/p/sub/${text}`;
        expect(denial({ written: `sub/${text}`, absolute, real: absolute })).not.toBeNull();
      }),
    );
  },
);

it.each([":", "：", "12:30 "])("a name that holds %j is read to its end, too", (before) => {
  const absolute = `/p/sub${before}/dump${before}server.key`;
  expect(looksSecret(absolute)).toBe(true);
  const path = { written: absolute, absolute, real: absolute };
  const denies = (pattern: string) =>
    changeDenialOf([{ tool: "edit_file", arguments: { path: pattern } }], pathFrame("/p"))(path);
  expect(denies("*.key")).not.toBeNull();
  expect(denies(absolute)).not.toBeNull();
  expect(denies("*:other*")).toBeNull();
});

it("a drive is not a name with a stream", () => {
  const absolute = "C:\\p\\.env::$DATA";
  const denial = changeDenialOf([{ tool: "edit_file", arguments: { path: "c:/p/.env" } }], {
    folders: [],
    home: "/h",
  });
  expect(denial({ written: absolute, absolute, real: absolute })).not.toBeNull();
});

it.each(["/p/notes", "/p/a.b", "/p/..", "/p/e:x"])("%s is nothing of the kind", (path) => {
  expect(isExecutedByOthers(path) || looksSecret(path)).toBe(false);
});
