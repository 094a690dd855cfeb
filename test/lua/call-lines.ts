/** The lines of a decided call and its result, as a chat has them. */

export const call = (id: number, name: string, values: unknown, decision = "[ya]") =>
  `❓:${decision} \`${JSON.stringify({ id: `c${id}`, type: "function", function: { name, arguments: JSON.stringify(values) } })}\``;
export const result = (id: number, body: readonly string[], status = "") => [
  "",
  `🛠️: [f][c${id}]${status}`,
  "",
  ...body,
  "",
];
