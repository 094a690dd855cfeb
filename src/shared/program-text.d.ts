/** Files that are imported as the text of a program (`scripts/lib/program-text.mjs`). */
declare module "*?program" {
  /** CommonJS in one piece. */
  const text: string;
  export default text;
}
