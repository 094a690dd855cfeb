/** Types of files that are imported as the text of a program (`scripts/lib/program-text.mjs`). */
declare module "*?program" {
  /** CommonJS in a single file. */
  const text: string;
  export default text;
}
