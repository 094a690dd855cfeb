export interface Fixture {
  readonly name: string;
  readonly body: string;
  /** As `outline` tells it. */
  readonly outline: readonly string[];
}

export const arguments1 = '{"query": "google stöck 📈"}';
export const arguments2 = '{"query":"microsoft"}';

export function sse(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
