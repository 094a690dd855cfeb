/** The links of the pages work, their code parses, and they contain no placeholders. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ParseError, parse as parseJsonc } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { helpTags } from "../scripts/lib/help-tags.mjs";
import { projectRoot } from "../scripts/lib/paths.mjs";
import { neovims } from "./support/neovims.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const markdown = [
  ...readdirSync(projectRoot).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(projectRoot, "doc"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `doc/${name}`),
];
const help = read("doc/parley.txt");
const tags = new Set(
  helpTags([{ path: "doc/parley.txt", text: help }])
    .split("\n")
    .map((line: string) => line.split("\t")[0] ?? ""),
);

/** The anchors that GitHub makes for headings. */
function anchors(page: string): readonly string[] {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text.toLowerCase());
  return headings.map((text) => text.replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"));
}

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

const blocks: readonly Block[] = [
  ...markdown.flatMap((page) =>
    [...read(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({
      page,
      language,
      code,
    })),
  ),
  ...[...help.matchAll(/(?:^| )>(\w+)\n(.*?)^(?=\S)/gms)].map(([, language = "", code = ""]) => ({
    page: "doc/parley.txt",
    language,
    code,
  })),
];

/** A list of options or a plugin spec may be a page's whole example. */
const asLua = (code: string) => {
  const withoutComments = code.replaceAll(/^\s*--.*$/gm, "").trim();
  return withoutComments.startsWith("{") ? `return ${withoutComments}` : code;
};

/** The text after each fence that opens a block; a nested block belongs to the outer one. */
function openingFences(page: string): readonly string[] {
  const opened: string[] = [];
  let open: string | null = null;
  for (const line of page.split("\n")) {
    const [, fence, words = ""] = /^(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === null) {
      open = fence;
      opened.push(words.trim());
    } else if (fence.startsWith(open) && words.trim() === "") open = null;
  }
  return opened;
}

describe.each(markdown)("%s", (path) => {
  const page = read(path);

  it("has only links with existing targets", () => {
    const prose = page.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "");
    const links = [...prose.matchAll(/(?:\]\(|srcset="|src=")([^)"\s]+)/g)].map(
      ([, link = ""]) => link,
    );
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(projectRoot, target))) return true;
      return anchor !== undefined && !anchors(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("mentions only files of the repository that exist", () => {
    // The screens show example files, and the changelog mentions files that were removed.
    const text = /CHANGELOG|screens/.test(path) ? "" : page;
    const named = text.matchAll(/`((?:src|lua|test|scripts|bench|examples)\/[\w./-]+)`/g);
    const files = [...named].map(([, file = ""]) => file);
    expect(files.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
  });

  it("refers only to existing help tags", () => {
    const named = [...page.matchAll(/`:help (parley[\w-]*)`/g)].map(([, tag = ""]) => tag);
    expect(named.filter((tag) => !tags.has(tag))).toEqual([]);
  });
});

it("the links within the help have existing targets", () => {
  const links = [...help.matchAll(/\|(:?[Pp]arley[^|\s]*)\|/g)].map(([, tag = ""]) => tag);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((tag) => !tags.has(tag))).toEqual([]);
});

describe("the code on the pages", () => {
  it("is valid JSON where it is marked as JSON", () => {
    const found = blocks.filter(({ language }) => language.startsWith("json"));
    expect(found.length).toBeGreaterThan(2);
    for (const { page, code } of found) {
      // An object member may be a page's whole example.
      const whole = code.trim().startsWith('"') ? `{${code}}` : code;
      const errors: ParseError[] = [];
      parseJsonc(whole, errors, { allowTrailingComma: true });
      expect({ page, code, errors }).toMatchObject({ errors: [] });
    }
  });

  it.each(neovims)(
    "is valid Lua or Vim script for Neovim $version where it is marked as such",
    ({ path }) => {
      const folder = mkdtempSync(join(tmpdir(), "parley-pages-"));
      try {
        const lua = blocks.filter(({ language }) => language === "lua");
        expect(lua.length).toBeGreaterThan(8);
        const files = lua.map(({ page, code }, index) => {
          const file = join(folder, `${index}-${page.replaceAll("/", "-")}.lua`);
          writeFileSync(file, asLua(code));
          return file;
        });
        const vim = blocks.filter(({ language }) => language === "vim");
        expect(vim.length).toBeGreaterThan(2);
        const sourced = vim.map(({ code }, index) => {
          const file = join(folder, `${index}.vim`);
          writeFileSync(file, code);
          return file;
        });
        const script = join(folder, "check.lua");
        writeFileSync(
          script,
          `for _, file in ipairs(vim.json.decode(${JSON.stringify(JSON.stringify(files))})) do
          local chunk, problem = loadfile(file)
          if not chunk then io.stdout:write(problem, "\\n", io.open(file):read("*a"), "\\n") end
        end
        vim.cmd("command! -nargs=+ Plug let g:plug = [<args>]")
        vim.cmd("command! -nargs=* -range -complete=file Parley")
        for _, file in ipairs(vim.json.decode(${JSON.stringify(JSON.stringify(sourced))})) do
          local ok, problem = pcall(vim.cmd.source, file)
          if not ok then io.stdout:write(problem, "\\n", io.open(file):read("*a"), "\\n") end
        end`,
        );
        const output = execFileSync(path, ["--clean", "-l", script], { encoding: "utf8" });
        expect(output).toBe("");
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it("is valid shell where it is marked as shell, and every block has a known language", () => {
    const shell = blocks.filter(({ language }) => /^(sh|bash|console)$/.test(language));
    expect(shell.length).toBeGreaterThan(4);
    for (const { page, code } of shell) {
      const { status, stderr } = spawnSync("sh", ["-n"], { input: code, encoding: "utf8" });
      expect({ page, status, stderr }).toEqual({ page, status: 0, stderr: "" });
    }
    const languages =
      /^(sh|lua|vim|json|jsonc|json5|js|ts|typescript|markdown|yaml|toml|text|help|diff|html|xml|python)$/;
    const others = blocks.filter(({ language }) => !languages.test(language));
    expect(others.map(({ page, language }) => `${page}: ${language}`)).toEqual([]);
    const bare = markdown.filter((page) => openingFences(read(page)).some((fence) => fence === ""));
    expect(bare).toEqual([]);
  });

  it("is valid JavaScript or TypeScript where it is marked as such", async () => {
    const { transform } = await import("esbuild");
    const found = blocks.filter(({ language }) => /^(js|ts|typescript|javascript)$/.test(language));
    expect(found.length).toBeGreaterThan(1);
    for (const { page, code } of found) {
      const whole = code.trim().startsWith("{") ? `export default ${code}` : code;
      const problem = await transform(whole, { loader: "ts" }).then(
        () => null,
        (error: Error) => `${page}: ${error.message}`,
      );
      expect(problem).toBeNull();
    }
  });
});

it("the pages contain no placeholders and only the project's own address", () => {
  const address = packageJson.repository.url;
  const paths = [...markdown, "doc/parley.txt", "package.json", "parley.nvim-scm-1.rockspec"];
  const pages = paths.map((path) => ({ path, text: read(path) }));
  const placeholder = /<address|<your|<owner|OWNER\/|USER\/|your-name|TODO|FIXME/;
  const left = pages.flatMap(({ path, text }) => {
    const found = text.split("\n").filter((line) => placeholder.test(line));
    return found.map((line) => `${path}: ${line}`);
  });
  expect(left).toEqual([]);
  const others = pages.flatMap(
    ({ text }) => text.match(/https:\/\/[^\s"'`)]*\/parley\.nvim\b/g) ?? [],
  );
  const known = new Set([address, "https://git.example.org/you/parley.nvim"]);
  expect(others.length).toBeGreaterThan(5);
  expect(others.filter((found) => !known.has(found))).toEqual([]);
});
