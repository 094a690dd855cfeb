/** Chats of any length, about one kilobyte per exchange, one in ten with a tool call. */

const sentence =
  "The quick answer is that it depends on what is measured, and a longer one follows from the numbers below. ";

function toolCall(index) {
  const call = {
    id: `call_${index}`,
    type: "function",
    function: { name: "web_search", arguments: JSON.stringify({ query: `topic ${index}` }) },
  };
  return [
    `❓:[yo] \`${JSON.stringify(call)}\``,
    "",
    `🛠️: [web_search][call_${index}]`,
    "",
    `\`{"matches":[{"title":"Topic ${index}","snippet":"${sentence}"}]}\``,
    "",
  ];
}

function exchange(index) {
  return [
    `💬: question ${index}: how does this compare with what was said before?`,
    "",
    "🤖:[bench]",
    "",
    `${sentence}${sentence}`,
    "",
    ...(index % 10 === 9 ? toolCall(index) : []),
    "```js",
    `const value${index} = measure(${index});`,
    "console.log(value);",
    "```",
    "",
    `- ${sentence}`,
    `- **first** ${sentence}`,
    `- _second_ ${sentence}`,
    "",
    sentence,
    "",
  ];
}

/** Returns the text of a chat with this many finished exchanges and one unanswered question. */
export function chatText(exchanges, model = "openai/gpt-5") {
  const lines = ["---", "topic: bench", `model: ${model}`, "---", ""];
  for (let index = 0; index < exchanges; index += 1) lines.push(...exchange(index));
  lines.push("💬: and now?", "");
  return lines.join("\n");
}
