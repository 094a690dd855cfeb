/**
 * Patterns for what vendors and servers say about failures; the comment names the vendor if only one uses such a text.
 * Pure.
 */

/**
 * The chat is longer than the model's context. Covers OpenAI, Anthropic and Google, and also xAI (prompt length),
 * GitHub Models (token count … exceeds), Moonshot (model token limit), Z.ai (prompt exceeds), DashScope (length
 * should be), vLLM (model length), llama.cpp (available context) and Hugging Face (`max_new_tokens`, “inputs must have less than”).
 */
export const overflow = new RegExp(
  [
    "context.{0,20}(length|window)|context limit",
    "maximum (context|prompt length|model length)",
    "prompt (is too long|exceeds)",
    "too many (input )?tokens",
    "input (is too long|length (should be|\\d+ exceeds))",
    "exceeds? the (model's )?(maximum|available).{0,30}(tokens|context)",
    "token count of \\d+ exceeds|model token limit|exceed the token limit",
    "max_new_tokens` must be <=",
    "must have less than \\d+ tokens",
    "reduce the length",
  ].join("|"),
  "i",
);

/** Groq mentions the context window in a text about `max_tokens` alone. */
export const outputLimit = /maximum value for [`'"]?max_(?:completion_)?tokens/i;

/**
 * A single request over the account's limit for a minute, which OpenAI reports with 429 and no waiting fixes. Bedrock's
 * “too many tokens” with a 429 is only about the minute, so `overflow` does not apply there.
 */
export const minuteLimit = /request too large/i;

/** The account's daily limit is used up: OpenRouter's `free-models-per-day`, OpenAI's and Groq's RPD and TPD. */
export const dailyLimit = /\bper[- ]day\b|PerDay|\bdaily\b/;

/** Servers that parse the model's text and report an error if it is not a valid call: Groq, Ollama, llama.cpp. */
export const unreadCall =
  /tool call validation failed|failed to call a function|(?:failed to|error) pars(?:e|ing) tool call/i;

/**
 * A server lacks a feature, but reports its own failure: llama.cpp's “tools param requires --jinja flag” and its chat
 * templates' errors (“Jinja Exception: System role not supported”, “… roles must alternate …”), and Ollama's for a
 * model without image input (“missing data required for image input”).
 */
export const lacksFeature =
  /\brequires --\w|(?:is|are) not supported|does not support|jinja exception|missing data required|parse grammar|schema conversion failed/i;

/** More tools than a server takes, in the words of OpenAI, Groq, Copilot and others. */
export const tooManyTools =
  /too many (?:tools|functions)|(?:number of|max\w*) (?:tools|functions)|['"`](?:tools|functions)['"`]?\s?: (?:array too long|maximum number)/i;

/** A missing or retired model, reported as a bad request: Groq, OpenRouter, DeepSeek, Mistral, LiteLLM, Copilot. */
export const unknownModelWords =
  /model_(?:not_found|decommissioned|not_supported)|invalid_model|invalid model\b|\bmodel not exist|not a valid model|\bmodel ['"`“]?[\w./:@-]+['"`”]? (?:does not exist|not found|is not found|has been (?:decommissioned|deprecated|retired|removed))/i;

/** The account has to be paid for first, so waiting does not help. */
export const unpaid =
  /insufficient_quota|exceeded_current_quota|billing|insufficient.{0,10}(balance|credit|funds)|credit balance|more credits/i;

/** The same reported as a bad request or a refused key, in sentences that cannot mean anything else. */
export const withoutCredits =
  /credit balance is too low|insufficient (balance|credits?|funds)|\b(any|more|all available) credits\b/i;

/** Google reports a wrong key as a bad request. */
export const badKey =
  /api.?key (not valid|not found|is invalid|expired)|invalid api.?key|API_KEY_INVALID/i;

/**
 * Texts with a 403 that are about a key, an account or a model. Firewalls' pages and “Country, region, or territory not
 * supported” are about neither.
 */
export const aboutKey =
  /\bkeys?\b|token|credential|permission|authori[sz]|authenticat|model|project|organi[sz]ation|account|team|scope/i;

/** In milliseconds, keyed by first letter. */
const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const unit = "ms|milliseconds?|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?";
const amount = `(\\d{1,9}(?:\\.\\d{1,6})?)\\s?(${unit})(?![a-z])`;
const amounts = new RegExp(amount, "gi");
const asked = new RegExp(
  `(?:try again|retry|wait|reset|available)(?:ing|s)?(?: (?:in|after|for|again))* ((?:${amount}[ ,]*(?:and )?)+)`,
  "i",
);

/** A time such as `20`, `13.5s`, `6m0s` or `2 hours`, in milliseconds; null for any other text. */
export function durationIn(text: string): number | null {
  const seconds = Number(text.trim() || Number.NaN);
  if (!Number.isNaN(seconds)) return seconds * 1000;
  const found = [...text.matchAll(amounts)];
  if (found.length === 0) return null;
  return found.reduce((sum, [, count, word = ""]) => {
    const [short = ""] = /^(?:ms|milli)?/i.exec(word) ?? [];
    return sum + Number(count) * (short === "" ? (units[word.charAt(0).toLowerCase()] ?? 0) : 1);
  }, 0);
}

/** The wait in a sentence such as “Please try again in 6m0s.”, in milliseconds; null if it names none. */
export function waitIn(said: string): number | null {
  const time = asked.exec(said)?.[1];
  return time === undefined ? null : durationIn(time);
}

/** What happened to a connection, by error code, as the end of a sentence. */
const networkReasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, "could not be made: the name was not found. Check the network"],
  [/ECONNREFUSED/, "was refused: nothing listens there"],
  [/ENETUNREACH|EHOSTUNREACH/, "could not be made: the network does not reach it"],
  [
    /HAS_EXPIRED|NOT_YET_VALID/,
    "is not trusted: its certificate has expired or is not valid yet. Check the clock of this machine",
  ],
  [
    /ALTNAME/,
    "is not trusted: its certificate is for another name. Check the address; a login page of the network may be in between",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    "could not be secured: the server does not use TLS. Write http:// in its address, if that is right",
  ],
  [
    /EPROTO|ERR_SSL/,
    "could not be secured: the server uses TLS in an incompatible way, or requires a client certificate. Check the address",
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/,
    "is not trusted: its certificate was not accepted. If your company uses its own, add it to the file that $NODE_EXTRA_CA_CERTS names",
  ],
  [
    /HPE_INVALID_(CONSTANT|VERSION)/,
    "failed: the server there does not speak HTTP. Check the address and its port",
  ],
  [/TIMEDOUT|TIMEOUT/, "timed out"],
];

export function networkReason(codes: readonly string[]): string {
  const found = networkReasons.find(([code]) => codes.some((each) => code.test(each)));
  return found?.[1] ?? "broke off";
}
