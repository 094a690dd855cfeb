/** A line of `:checkhealth parley`; what is not well has a `fix`: what to do about it. */
export interface HealthLine {
  readonly level: "ok" | "info" | "warn" | "error";
  readonly text: string;
  readonly fix?: string;
}
