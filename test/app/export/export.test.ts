/** An exported page shows the chat, leaves out private parts, and runs nothing, whatever the text. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import markdownIt from "markdown-it";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { afterAll, describe, expect, it } from "vitest";
import { exportChat } from "../../../src/app/export/export-chat.ts";
import { linkInFilesFolder } from "../../../src/app/references/files-link.ts";
import { renderCallLine } from "../../../src/transcript/call-line.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";
import { renderResult } from "../../../src/transcript/result-block.ts";
import { escapeText } from "../../support/escape.ts";
import fc from "../../support/property.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-export-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "chat.md");

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function page(text: string, format: "html" | "markdown" = "html"): Promise<string> {
  return (await exportChat(parseTranscript(text), path, format)).text;
}

type Element = DefaultTreeAdapterTypes.Element;

function elementsOf(html: string): readonly Element[] {
  const found: Element[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if ("tagName" in node) found.push(node);
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parse(html));
  return found;
}

/** What a page may contain; any other attribute would come from the text. */
const attributes: Readonly<Record<string, readonly string[]>> = {
  meta: ["charset", "name", "content", "http-equiv"],
  a: ["href", "rel", "title"],
  img: ["src", "alt"],
  code: ["class"],
  section: ["class", "dir"],
  p: ["class"],
  span: ["class"],
  h1: ["dir"],
  ol: ["start"],
  th: ["class"],
  td: ["class"],
};
const tags = new Set(
  "html head meta title style body main h1 h2 h3 h4 h5 h6 section p span a img code pre details summary ul ol li strong em s blockquote hr br table thead tbody tr th td".split(
    " ",
  ),
);

function breaches(html: string): readonly string[] {
  return elementsOf(html).flatMap(({ tagName, attrs }) => {
    const known = attributes[tagName] ?? [];
    const wrong = attrs.filter(({ name, value }) => {
      if (name === "href") return !/^(?:https?:\/\/|mailto:|#image-\d+$)/i.test(value);
      if (name === "id") return !/^image-\d+$/.test(value);
      if (name === "src") return !/^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]*$/.test(value);
      return !known.includes(name);
    });
    const found = wrong.map(({ name, value }) => `<${tagName} ${name}=${value}>`);
    return tags.has(tagName) ? found : [`<${tagName}>`, ...found];
  });
}

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'<script>alert(1)</script>|<img src=x onerror=alert(1)>|[a](javascript:alert(1))|[a](JaVaScRiPt&colon;alert(1))|![a](javascript:x)|<svg/onload=x>|</code></pre>|</details>|</section>|</title>|</style>|<!--|-->|"|\'|`|```|~~~|\n\n|\n|<a href="javascript:x">|javascript:alert(1)|[x]: javascript:x|[x]|<javascript:x>|data:text/html,<script>|![a](data:image/svg+xml;base64,PHN2Zz4=)|&lt;script&gt;|&#x6A;avascript:|https://a.b/"onmouseover=x|\u0000|\u202e|| |>|- |# |    |<base href=//x>|<meta http-equiv=refresh>|\\|[a](https://x.y \'q" onclick=x\')|{{x}}|vbscript:x|[^1]|**|_'.split(
          "|",
        ),
        ...["\n\n|a|b|\n|-|-|\n|", "|", "\n\n[^1]: ", "\n\n> [^1]: "],
      ),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

function chatWith(part: string): string {
  const oneLine = part.replace(/[\r\n]/g, " ");
  const calls = { id: "1", name: oneLine || "x", arguments: JSON.stringify({ a: part }) };
  const result = { name: oneLine || "x", callId: "1", status: "ok", attachments: [] } as const;
  return [
    "---",
    `topic: ${JSON.stringify(oneLine)}`,
    "---",
    "",
    `💬: ${escapeText(part)}`,
    "",
    `![${oneLine}](chat.md.files/a.png)`,
    "",
    `🤖:[${oneLine}]`,
    "",
    escapeText(part),
    "",
    renderCallLine(calls, "ya", []),
    ...renderResult({ ...result, fullText: null, text: part }),
    "",
    escapeText(part),
  ].join("\n");
}

describe("an exported chat", () => {
  it("runs and loads nothing, whatever its texts contain", async () => {
    mkdirSync(`${path}.files`, { recursive: true });
    writeFileSync(join(`${path}.files`, "a.png"), png);
    await fc.assert(
      fc.asyncProperty(hostile, async (part) => {
        expect(breaches(await page(chatWith(part)))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it("in Markdown escapes HTML in what other readers take for a footnote", async () => {
    const text = "[^1]: <img src=x>\n> [^2]: <b>\n\n```\n[^3]: <i>\n```\n\n[a]: <https://a.b>";
    const shown = await page(`💬: hi\n\n🤖:[x]\n${text}\n`, "markdown");
    const kept =
      "[^1]: &lt;img src=x>\n> [^2]: &lt;b>\n\n```\n[^3]: <i>\n```\n\n[a]: <https://a.b>";
    expect(shown).toContain(kept);
  });

  it("in Markdown contains no HTML from the texts, and its code blocks are closed", async () => {
    const reader = markdownIt({ html: true });
    await fc.assert(
      fc.asyncProperty(hostile, async (part) => {
        const text = await page(chatWith(part), "markdown");
        const found = elementsOf(reader.render(text)).map(({ tagName }) => tagName);
        expect(found.filter((tag) => /script|svg|base|meta|style|title/.test(tag))).toEqual([]);
        expect(found.filter((tag) => tag === "details")).toHaveLength(1);
        const handlers = elementsOf(reader.render(text)).flatMap(({ attrs }) =>
          attrs.filter(({ name }) => name.startsWith("on")),
        );
        expect(handlers).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  const chat = `---
topic: Prices of stocks
---

💬: what is <b>it</b>?

🔒: my password is hunter2

🤖:[Claude-Sonnet]

🧠: a thought

Let me **look**.

<!-- parley:step {"model":"mock/demo","state":"c2VjcmV0"} -->

❓:[ya] \`{"id":"1","type":"function","function":{"name":"web_search","arguments":"{\\"query\\":\\"price\\",\\"n\\":1.0}"}}\`

🛠️: [web_search][1] ![image/png](b.png)

\`$911\`

❓: \`{"id":"2","type":"function","function":{"name":"rm","arguments":"{}"}}\`

a line of mine

💬: thanks
`;

  it("shows questions, answers, calls and images", async () => {
    mkdirSync(`${path}.files`, { recursive: true });
    writeFileSync(join(`${path}.files`, "b.png"), png);
    const html = await page(chat);
    expect(html).toContain("<title>Prices of stocks</title>");
    expect(html).toContain("what is &lt;b&gt;it&lt;/b&gt;?");
    expect(html).toContain("<strong>look</strong>");
    expect(html).toContain('<summary><code>web_search</code> <span class="status">done</span>');
    expect(html).toContain('<summary><code>rm</code> <span class="status">no result</span>');
    // Rewriting the JSON would turn 1.0 into 1.
    expect(html).toContain("&quot;n&quot;:1.0");
    expect(html).toContain(`src="data:image/png;base64,${png.toString("base64")}"`);
    expect(html).toContain("thanks");
    const markdown = await page(chat, "markdown");
    expect(markdown).toContain(
      "# Prices of stocks\n\n---\n\n**Question**\n\nwhat is &lt;b>it&lt;/b>?",
    );
    expect(markdown).toContain("<details><summary><code>web_search</code> done</summary>");
    expect(markdown).toContain("**Claude-Sonnet**");
  });

  it("leaves out reasoning, state, private parts and text that was not sent", async () => {
    for (const format of ["html", "markdown"] as const) {
      const text = await page(chat, format);
      for (const kept of ["a thought", "c2VjcmV0", "hunter2", "a line of mine", "parley:step"]) {
        expect(text).not.toContain(kept);
      }
    }
  });

  it("leaves out the summary, and keeps an escaped line that looks like one", async () => {
    const text = "💬: q\n\n🤖:\n\nfirst\n\\📝: mine\n📝: short\nlast\n";
    const html = await page(text);
    expect(html).toContain("first\n📝: mine\nlast");
    expect(html).not.toContain("short");
  });

  it("follows no link in the files folder and reports the images that it leaves out", async () => {
    mkdirSync(`${path}.files`, { recursive: true });
    symlinkSync("/etc/hostname", join(`${path}.files`, "link.png"));
    const text = "💬: q\n\n![x](chat.md.files/link.png)\n\n![y](../other.png)\n\n🤖:\n\na\n";
    const { text: html, notices } = await exportChat(parseTranscript(text), path, "html");
    expect(notices).toHaveLength(1);
    expect(html).toContain('<p class="missing">x</p>');
    expect(html).not.toContain("src=");
  });

  it("shows the images of a question without an answer, whatever the chat is called", async () => {
    const other = join(folder, "50% off (1).md");
    mkdirSync(`${other}.files`, { recursive: true });
    writeFileSync(join(`${other}.files`, "a.png"), png);
    const text = `💬: q\n\n![x](${linkInFilesFolder(other, "a.png")})\n`;
    const { text: html, notices } = await exportChat(parseTranscript(text), other, "html");
    expect(notices).toEqual([]);
    expect(html).toContain("src=");
  });

  it("has the data of an image once, however often and wherever the chat names it", async () => {
    mkdirSync(`${path}.files`, { recursive: true });
    writeFileSync(join(`${path}.files`, "b.png"), png);
    const question = `💬: q\n\n${"![x](chat.md.files/b.png)\n".repeat(3)}\n🤖:\n\na\n\n`;
    const text = question.repeat(2);
    const data = png.toString("base64");
    const html = await page(text);
    expect(html.split(data)).toHaveLength(2);
    expect(html.split('<a href="#image-1">x</a>')).toHaveLength(6);
    expect(breaches(html)).toEqual([]);
    const markdown = await page(text, "markdown");
    expect(markdown.split(data)).toHaveLength(2);
    expect(markdown.split("(shown above: x)")).toHaveLength(6);
  });

  it.each(["html", "markdown"] as const)("lets other work run, as %s", async (format) => {
    const transcript = parseTranscript("💬: q\n\n🤖:\n\n- **a** `b` <c>\n\n".repeat(5000));
    // Loads the page's modules, which takes turns, too.
    await exportChat(parseTranscript("💬: q\n"), path, format);
    let turns = 0;
    let timer = setImmediate(function count() {
      turns += 1;
      timer = setImmediate(count);
    });
    await exportChat(transcript, path, format);
    clearImmediate(timer);
    // Each turn is 4 ms of it or more.
    expect(turns).toBeGreaterThan(4);
  });

  it("shows a different word for each status of a call", async () => {
    const call = (id: string) => renderCallLine({ id, name: "t", arguments: "{}" }, "ya", []);
    const ends = ["ok", "error", "declined", "cancelled", "timeout"] as const;
    const lines = ends.flatMap((status) => [
      call(status),
      ...renderResult({
        name: "t",
        callId: status,
        status,
        attachments: [],
        fullText: null,
        text: "r",
      }),
    ]);
    const html = await page(["💬: q", "", "🤖:", "", ...lines].join("\n"));
    const shown = [...html.matchAll(/class="status">([^<]*)/g)].map(([, word]) => word);
    expect(shown).toEqual(["done", "failed", "declined", "cancelled", "timed out"]);
  });
});
