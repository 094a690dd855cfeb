import { describe, expect, it } from "vitest";
import {
  type NeededFilesOptions,
  neededFiles,
} from "../../../src/conversation/request/needed-files.ts";
import { parseTranscript } from "../../../src/transcript/parse.ts";

const step = (files: object) =>
  `<!-- parley:step ${JSON.stringify({ model: "mock/demo", files })} -->`;
const call = '❓:[ya] `{"id":"c","type":"function","function":{"name":"t","arguments":"{}"}}`';
const result = "🛠️: [t][c] ![image/png](r.png) ![audio/wav](r.wav) [full text](r.txt)\n\n`x`";
const question = "💬: @@./a@@ @@./b@@ @@./a@@\n![i](i.png)\n\n";
const answer = `🤖:\n\n${step({ "@@./a@@": "a.txt", "i.png": "i.png" })}\n\nhm\n\n${call}\n\n${result}\n\n`;

function needed(text: string, options: Partial<NeededFilesOptions> = {}) {
  const transcript = parseTranscript(text);
  const exchange = transcript.exchanges.at(-1)!;
  const { names, copies, reads } = neededFiles(transcript, exchange, {
    maxFullExchanges: 42,
    ...options,
  });
  return { names, copies, reads: reads.map(({ source }) => source) };
}

describe("the files a request needs", () => {
  it("are read once, when the question is first answered", () => {
    const reads = ["@@./a@@", "@@./b@@", "i.png"];
    expect(needed(question)).toEqual({ names: [], copies: {}, reads });
  });

  it("are only the recorded copies once the answer has calls", () => {
    const copies = { "@@./a@@": "a.txt", "i.png": "i.png" };
    const names = ["a.txt", "i.png", "r.png"];
    expect(needed(question + answer)).toEqual({ names, copies, reads: [] });
  });

  it("are the copies, and the files without a copy, when the first step is retried", () => {
    const broken = `🤖:\n\n${step({ "@@./a@@": "a.txt" })}\n\nhm\n\n<!-- parley:unfinished stopped -->`;
    expect(needed(question + broken)).toEqual({
      names: ["a.txt"],
      copies: { "@@./a@@": "a.txt" },
      reads: ["@@./b@@", "i.png"],
    });
  });

  it("come last where the question itself has them, also if an older one has the same", () => {
    const text = (name: string, file: string) =>
      `💬: @@./${name}@@\n\n🤖:\n\n${step({ [`@@./${name}@@`]: file })}\n\nhm\n\n`;
    const own = `${text("c", "a.txt")}`.replace("hm", `hm\n\n${call}`);
    expect(needed(`${text("a", "a.txt")}${text("b", "b.txt")}${own}`).names).toEqual([
      "b.txt",
      "a.txt",
    ]);
  });

  it("are read again when the answer is replaced", () => {
    const reads = ["@@./a@@", "@@./b@@", "i.png"];
    const fresh = { names: [], copies: {}, reads };
    expect(needed(question + answer, { fresh: true })).toEqual(fresh);
  });

  it("of earlier exchanges are only their copies, without images once the exchange is old", () => {
    const last = '<!-- parley:step {"model":"mock/demo"} -->';
    const older = `${question}${answer}${last}\n\nfine\n📝: sum\n\n`;
    const now = { copies: {}, reads: [] };
    expect(needed(`${older}💬: now`)).toEqual({ names: ["a.txt", "i.png", "r.png"], ...now });
    expect(needed(`${older}💬: now`, { maxFullExchanges: 0 })).toEqual({
      names: ["a.txt"],
      ...now,
    });
    expect(needed(`${question}💬: now`)).toEqual({ names: [], ...now });
  });
});
