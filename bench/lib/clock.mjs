/** Returns milliseconds of a clock that all processes on the machine share. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Polls until `check` returns something other than false, null or undefined. */
export async function until(what, check, patienceMs = 20_000) {
  const end = now() + patienceMs;
  for (;;) {
    const value = await check();
    if (value !== false && value !== null && value !== undefined) return value;
    if (now() > end) throw new Error(`Waited in vain for ${what}.`);
    await pause(2);
  }
}
