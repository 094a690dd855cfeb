/** Runs one approved call, in a chat and in a program: it always ends, with an output that the model can read. */
import { messageOf } from "../../shared/json.ts";
import type { ToolOutput } from "../ports.ts";
import { failedOutput } from "../results.ts";

/** Milliseconds that a stopped tool has to end on its own; after that it is no longer awaited. */
const stopGraceMs = 1000;

/** Never rejects: an error that a tool throws is its output, and a stopped call ends whether the tool reacts or not. */
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
