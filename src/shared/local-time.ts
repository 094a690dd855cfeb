/** Times as users read them: in their own time zone. */

/** `2026-11-21`; `at` in milliseconds since the epoch. */
export function localDay(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `2026-11-21 14:05`. */
export function localTime(at: number): string {
  const date = new Date(at);
  return `${localDay(at)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
