/**
 * The forms of calls that a detector can find, and which models write them. How a form is read is a row of
 * `forms/forms.ts`, which loads with the first answer that may contain calls.
 */

const forms = {
  smiley: "one JSON object between two runs of 14 smileys; any model, by prompt",
  delimited: "one JSON object between <<<TOOL_CALL>>> and <<<END_TOOL_CALL>>>; by prompt",
  json: "JSON in a fence, in prose or as the whole answer; any model",
  hermes: "<tool_call> with JSON; Hermes, Qwen 2.5 and 3, Granite 4",
  "qwen-xml": "<function=NAME> with parameters; Qwen3-Coder, Seed-OSS",
  llama: "<|python_tag|>, bare JSON, or <function=NAME> with JSON; Llama 3 and 4",
  mistral: "[TOOL_CALLS] with a list, or with NAME and JSON; Mistral",
  kimi: "<|tool_call_begin|>; Kimi K2",
  deepseek: "<｜tool▁call▁begin｜> and DSML; DeepSeek V3, R1 and later",
  glm: "<tool_call>NAME with <arg_key> and <arg_value>; GLM 4.5 and later",
  minimax: "<minimax:tool_call> with <invoke>; MiniMax M2",
  harmony: "<|channel|>commentary to=functions.NAME; gpt-oss",
  granite: "<|tool_call|> with a list; Granite 3",
  phi: "functools[…]; Phi-4-mini",
  gemma: "<|tool_call>call:NAME{…}, or a tool_code fence; Gemma",
  "anthropic-xml": "<function_calls> with <invoke>; Claude-style prompts",
  pythonic: '[f(a=1), g(b="x")]; Llama 3.2 and 4, LFM2, Olmo 3',
  "tool-request-xml": "<tool_request> with JSON",
  "simple-xml": "<tool_name> and <arguments>",
  "dotted-xml": "<server.tool> with one element for each argument",
} as const;

export type FormId = keyof typeof forms;

/** Forms whose values have no types, so that these are guessed: only for programs that ask for them. */
const guessed: readonly string[] = ["simple-xml", "dotted-xml"] satisfies FormId[];

/** By id: how the form is written, and by which models, as text for a list. */
export const detectableProtocols: ReadonlyMap<string, string> = new Map(Object.entries(forms));

/** The forms to look for in every answer that may contain calls, whatever form the model was asked for. */
export const salvagedProtocols = Object.keys(forms).filter((id) => !guessed.includes(id));
