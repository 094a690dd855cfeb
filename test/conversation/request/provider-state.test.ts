import { describe, expect, it } from "vitest";
import {
  openState,
  sealState,
  stepContent,
} from "../../../src/conversation/request/provider-state.ts";
import type { Block, Step } from "../../../src/transcript/transcript.ts";

const model = { provider: "anthropic", id: "claude-sonnet-5-5" };
const data = { thinking: [{ signature: "abc", text: "hm -->" }] };
const range = { start: 0, end: 1 };

function call(json: string, decision: "ya" | null = null): Block {
  return {
    kind: "call",
    line: 0,
    lineText: "",
    call: null,
    json,
    decision,
    notes: [],
    broken: null,
    result: null,
    source: "parley",
    end: 1,
  };
}

function step(
  blocks: readonly Block[],
  state?: string,
  name = "anthropic/claude-sonnet-5-5",
): Step {
  const record = state === undefined ? { model: name } : { model: name, state };
  const calls = blocks.filter((block) => block.kind === "call");
  return { range, stepLine: 0, record, blocks, calls };
}

const text = (content: string): Block => ({ kind: "text", range, text: content });
const thought = (content: string): Block => ({ kind: "thought", range, text: content });
const blocks = [thought("hm"), text("I look.\n\nNow."), call('{"id":"1"}'), call('{"id":"2"}')];
const sealed = sealState(data, stepContent(step(blocks)), model, "secret");
const open = (changed: readonly Block[]) => openState(step(changed, sealed), model, "secret");

describe("provider state", () => {
  it("is restored unchanged", () => {
    expect(open(blocks)).toEqual(data);
    expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it("stays valid after decisions and changes of white space", () => {
    const [first, , ...calls] = blocks;
    const written = [first, text("I look. \n\n\n\nNow."), ...calls] as Block[];
    expect(open(written)).toEqual(data);
    const decided = [...blocks.slice(0, 2), call('{"id":"1"}', "ya"), call('{"id":"2"}', "ya")];
    expect(open(decided)).toEqual(data);
  });

  it.each([
    ["text", [thought("hm"), text("I looked.\n\nNow."), ...blocks.slice(2)]],
    ["thought", [thought("hmm"), ...blocks.slice(1)]],
    ["call", [...blocks.slice(0, 2), call('{"id": "1"}'), call('{"id":"2"}')]],
    ["order of calls", [...blocks.slice(0, 2), call('{"id":"2"}'), call('{"id":"1"}')]],
    ["number of calls", blocks.slice(0, 3)],
  ])("is dropped when the %s was edited", (_, changed) => {
    expect(open(changed)).toBeUndefined();
  });

  it("is restored only for its model and with its secret", () => {
    const other = { provider: "anthropic", id: "claude-opus-5-5" };
    expect(openState(step(blocks, sealed), other, "secret")).toBeUndefined();
    expect(openState(step(blocks, sealed), model, "another")).toBeUndefined();
    const renamed = step(blocks, sealed, "anthropic/claude-opus-5-5");
    expect(openState(renamed, other, "secret")).toBeUndefined();
  });

  it("is dropped when its data was changed", () => {
    const value = JSON.parse(Buffer.from(sealed, "base64url").toString());
    const forged = JSON.stringify({ ...value, data: { thinking: [] } });
    const state = Buffer.from(forged).toString("base64url");
    expect(openState(step(blocks, state), model, "secret")).toBeUndefined();
  });

  it.each(["", "%%%", "bm9uZQ", Buffer.from("null").toString("base64url")])(
    "is dropped when it is damaged (%j)",
    (state) => {
      expect(openState(step(blocks, state), model, "secret")).toBeUndefined();
    },
  );

  it("is undefined when the step has none", () => {
    expect(openState(step(blocks), model, "secret")).toBeUndefined();
  });
});
