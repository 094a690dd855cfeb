/** A chat whose last answer ends in a call, and what a host has drawn beside it. */
import { type Editor, poll } from "./editor.ts";

export const call = '❓: `{"id":"call_1","type":"function","function":{"name":"web_search"}}`';
export const chat = ["💬: one", "", "🤖:[demo]", "", "Words.", "", call];
export const unfinished = "<!-- parley:unfinished open -->";

/** Draws a view that says nothing but this. */
export async function showView(editor: Editor, buffer: number, view: Record<string, unknown>) {
  return editor.call("show", buffer, await editor.tick(buffer), {
    status: null,
    calls: [],
    unfinished_line: null,
    diagnostics: [],
    usage: null,
    keys: false,
    ...view,
  });
}

export function untilOnScreen(editor: Editor, text: string): Promise<true> {
  return poll(`${text} on screen`, async () =>
    (await editor.screen()).some((row) => row.includes(text)),
  );
}
