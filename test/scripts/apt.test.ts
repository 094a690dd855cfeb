import { describe, expect, it } from "vitest";
import { readArchiveEntry } from "../../scripts/lib/apt.mjs";
import { folderWith } from "./folder.ts";

const debian = "PRETTY_NAME='Debian'\nID=debian\nVERSION_CODENAME=bookworm\n";

describe("readArchiveEntry", () => {
  it("finds Debian's own entry in deb822 files, including its signing key", async () => {
    const etc = folderWith({
      "os-release": debian,
      "apt/sources.list.d/aaa.sources":
        "Types: deb\nURIs: https://example.org/node\nSuites: nodistro\nComponents: main\n",
      "apt/sources.list.d/debian.sources": [
        "# a comment",
        "Types: deb",
        "URIs: http://mirror.example.org/debian-security",
        "Suites: bookworm-security",
        "Components: main",
        "",
        "Types: deb deb-src",
        "# another",
        "URIs: http://mirror.example.org/debian",
        "Suites: bookworm bookworm-updates",
        "Components: main contrib",
        "Signed-By:",
        " -----BEGIN PGP PUBLIC KEY BLOCK-----",
        " .",
        " abc",
      ].join("\n"),
    });
    expect(await readArchiveEntry(etc)).toEqual({
      Types: "deb deb-src",
      URIs: "http://mirror.example.org/debian",
      Suites: "bookworm bookworm-updates",
      Components: "main contrib",
      "Signed-By": "\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc",
    });
  });

  it("finds the entry in a one-line sources.list", async () => {
    const etc = folderWith({
      "os-release": debian,
      "apt/sources.list": [
        "# deb http://old.example.org/debian bookworm main",
        "deb http://mirror.example.org/debian-security bookworm-security main",
        "deb [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] http://mirror.example.org/debian/ bookworm main contrib # ours",
      ].join("\n"),
    });
    expect(await readArchiveEntry(etc)).toEqual({
      Types: "deb",
      URIs: "http://mirror.example.org/debian/",
      Suites: "bookworm",
      Components: "main contrib",
      "Signed-By": "/usr/share/keyrings/k.gpg",
    });
  });

  it("returns undefined on Ubuntu and where no sources are configured", async () => {
    const list = "deb http://archive.example.org/debian noble main\n";
    const ubuntu = "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n";
    const etc = folderWith({ "os-release": ubuntu, "apt/sources.list": list });
    expect(await readArchiveEntry(etc)).toBeUndefined();
    expect(await readArchiveEntry(folderWith({}))).toBeUndefined();
    expect(await readArchiveEntry(folderWith({ "os-release": debian }))).toBeUndefined();
  });
});
