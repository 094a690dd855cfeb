/** Running one approved call, in a chat and in a program: it always ends, with an output that the model can read. */
import { messageOf } from "../../shared/json.ts";
import type { ToolOutput } from "../ports.ts";
import { failedOutput } from "../results.ts";

/** Milliseconds a stopped tool has to end by itself; after that nobody waits for it any more. */
const stopGraceMs = 1000;

/** Never rejects: what a tool throws is its output, and one that was stopped ends, whether it heeds that or not. */
export async function runCall(
  run: () => Promise<ToolOutput>,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const late = cancelledLate(signal);
  try {
    return await Promise.race([run(), late.output]);
  } catch (error) {
    return failedOutput(messageOf(error));
  } finally {
    late.forget();
  }
}

function cancelledLate(signal: AbortSignal) {
  let forget = () => {};
  const output = new Promise<ToolOutput>((resolve) => {
    const text = "The call was stopped and did not end; it is not known what it did.";
    const onAbort = () => {
      setTimeout(() => resolve({ status: "cancelled", text, media: [] }), stopGraceMs).unref();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    forget = () => signal.removeEventListener("abort", onAbort);
  });
  return { output, forget };
}
