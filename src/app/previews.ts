import type { ToolHost } from "../conversation/types.ts";
import type { Transcript } from "../transcript/types.ts";

/** What the calls in these lines would do, by the text of their lines; most calls say all by their arguments. */
export async function previewCalls(
  tools: ToolHost,
  { exchanges }: Transcript,
  lines: readonly number[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const blocks = exchanges
    .flatMap(({ answer }) => answer?.steps ?? [])
    .flatMap(({ calls }) => calls)
    .filter(({ line }) => lines.includes(line));
  const found = new Map<string, readonly string[]>();
  for (const { call, lineText } of blocks) {
    const preview = call && (await tools.preview?.(call));
    if (preview) found.set(lineText, preview);
  }
  return found;
}
