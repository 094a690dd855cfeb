/** Medians, percentiles and their formatting. */

export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1));
  return sorted[at] ?? Number.NaN;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle];
  return sorted.length === 0 ? Number.NaN : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function number(value) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(1);
}

/** Formats values as `median (least–most)`. */
export function spread(values) {
  if (values.length === 0) return "–";
  if (values.length === 1) return number(values[0]);
  return `${number(median(values))} (${number(Math.min(...values))}–${number(Math.max(...values))})`;
}

/** Formats the ratio of the two medians. */
export function ratio(values, base) {
  return `${(median(values) / median(base)).toFixed(2)} ×`;
}
