/**
 * A form that a server requests (MCP, elicitation in form mode). Several fields become one text to fill in and write.
 * A form without fields is a yes-or-no question. For one field the user first chooses whether to answer, then
 * answers, then reviews what is sent. Leaving the field leads to the review, so that nothing typed is lost; leaving the
 * review, or the first question, cancels.
 */
import { ellipsize } from "../../shared/visible.ts";
import type { CheckPage, Dialogue } from "./dialogue.ts";
import { type Field, type FieldValue, parseTyped, shownValue } from "./form-fields.ts";
import { formPage, pageField, readPage } from "./form-page.ts";

/** MCP's `ElicitResult`. */
export type FormResult = {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | number | boolean | string[]>;
};

export interface Form {
  /** Who asks, on one line. */
  readonly title: string;
  /** The server's message, and the call it belongs to. */
  readonly details: readonly string[];
  readonly fields: readonly Field[];
}

const longestPrompt = 200;

/** Rejects when the signal is aborted. */
export async function askForm(
  form: Form,
  user: Dialogue,
  signal: AbortSignal,
): Promise<FormResult> {
  const [field, ...more] = form.fields;
  if (field === undefined) return askYes(form, user, signal);
  if (more.length > 0) return fillForm(form, user, signal);
  const items = ["Answer", "Decline", "Cancel"];
  const begin = await user.select({ prompt: form.title, details: form.details, items }, signal);
  if (begin === 1) return { action: "decline" };
  if (begin !== 0) return { action: "cancel" };
  const filling = new Filling(form, field, { user: user, signal });
  await filling.ask();
  return filling.review();
}

/** The question may interrupt the user's typing, so the item that Enter picks must not be Accept. */
async function askYes(
  { title, details }: Form,
  user: Dialogue,
  signal: AbortSignal,
): Promise<FormResult> {
  const items = ["Decline", "Accept", "Cancel"];
  const chosen = await user.select({ prompt: title, details, items }, signal);
  if (chosen === 1) return { action: "accept", content: {} };
  return { action: chosen === 0 ? "decline" : "cancel" };
}

/** Leaving the page declines, as the page says. */
async function fillForm(
  { title, details, fields }: Form,
  user: Dialogue,
  signal: AbortSignal,
): Promise<FormResult> {
  const own = fields.map(pageField);
  const page = formPage({ title, details, purpose: "sends it", fields: own });
  const check: CheckPage = (lines) => readPage(own, lines).mistakes;
  const written = await user.fill(page, check, signal);
  if (written === null) return { action: "decline" };
  const { values } = readPage(own, written);
  return { action: "accept", content: contentOf(values) };
}

/** Fields of forms only have these types of values. */
function contentOf(values: Readonly<Record<string, unknown>>): NonNullable<FormResult["content"]> {
  const content: NonNullable<FormResult["content"]> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      content[name] = value;
    } else if (Array.isArray(value)) content[name] = value.map(String);
  }
  return content;
}

/** A form of one field while the user answers it. */
class Filling {
  readonly #form: Form;
  readonly #user: Dialogue;
  readonly #signal: AbortSignal;
  readonly #field: Field;
  /** Undefined: left out or not answered yet. */
  #value: FieldValue | undefined;
  #isAsked = false;

  constructor(
    form: Form,
    field: Field,
    { user, signal }: { readonly user: Dialogue; readonly signal: AbortSignal },
  ) {
    this.#form = form;
    this.#user = user;
    this.#signal = signal;
    this.#field = field;
  }

  /** If the user leaves the question, the review comes next and the value stays as it was. */
  async ask(): Promise<void> {
    const answer = await this.#answer(this.#field);
    if (answer === null) return;
    this.#isAsked = true;
    this.#value = answer === "left out" ? undefined : answer.value;
  }

  async review(): Promise<FormResult> {
    const { title } = this.#form;
    const field = this.#field;
    for (;;) {
      const isMissing = field.isRequired && this.#value === undefined;
      const again = this.#isAsked ? "Edit it" : "Answer";
      const items = [...(isMissing ? [] : ["Send"]), again, "Decline", "Cancel"];
      const details = ["This is sent:", this.#line(field)];
      const chosen = await this.#user.select({ prompt: title, details, items }, this.#signal);
      const item = chosen === null ? "Cancel" : (items[chosen] ?? "Cancel");
      if (item === "Send") return { action: "accept", content: this.#content() };
      if (item === "Decline") return { action: "decline" };
      if (item === "Cancel") return { action: "cancel" };
      await this.ask();
    }
  }

  #line(field: Field): string {
    const missing = this.#value === undefined && field.isRequired;
    const shown = missing ? "(required, not answered yet)" : shownValue(field, this.#value);
    return `  ${field.label}: ${shown}`;
  }

  #content(): NonNullable<FormResult["content"]> {
    if (this.#value === undefined) return {};
    const value = isList(this.#value) ? [...this.#value] : this.#value;
    return { [this.#field.name]: value };
  }

  #answer(field: Field): Promise<{ readonly value: FieldValue } | "left out" | null> {
    switch (field.kind) {
      case "text":
      case "number":
        return this.#type(field);
      case "yes-or-no":
        return this.#choose(field, [
          { label: "Yes", value: true },
          { label: "No", value: false },
        ]);
      case "one":
        return this.#choose(field, field.options);
      case "several":
        return this.#chooseSeveral(field);
    }
  }

  /** An empty text leaves out an optional field. */
  async #type(field: Field): Promise<{ readonly value: FieldValue } | "left out" | null> {
    const before = this.#value ?? (this.#isAsked ? "" : field.initial);
    let text = before === null ? "" : String(before);
    let reason = "";
    for (;;) {
      const typed = await this.#user.input(this.#prompt(field, reason), text, this.#signal);
      if (typed === null) return null;
      if (typed.trim() === "" && !field.isRequired) return "left out";
      const read = typed.trim() === "" ? { reason: "It is required." } : parseTyped(field, typed);
      if ("value" in read) return read;
      reason = `${read.reason} `;
      text = typed;
    }
  }

  async #choose<T extends FieldValue>(
    field: Field,
    options: readonly { readonly label: string; readonly value: T }[],
  ): Promise<{ readonly value: T } | "left out" | null> {
    const now = this.#value ?? (this.#isAsked ? null : field.initial);
    const items = [
      ...options.map(({ label, value }) => (value === now ? `${label} (default)` : label)),
      ...(field.isRequired ? [] : ["Leave it out"]),
    ];
    const prompt = this.#prompt(field, "");
    const chosen = await this.#user.select({ prompt, details: [], items }, this.#signal);
    if (chosen === null) return null;
    const option = options[chosen];
    return option === undefined ? "left out" : { value: option.value };
  }

  async #chooseSeveral(field: Field): Promise<{ readonly value: FieldValue } | "left out" | null> {
    const before = this.#value ?? (this.#isAsked ? [] : field.initial);
    const chosen = new Set(isList(before) ? before : []);
    let reason = "";
    for (;;) {
      const value = field.options.map((option) => option.value).filter((one) => chosen.has(one));
      const items = [
        `Done: ${shownValue(field, value)}`,
        ...field.options.map(
          (option) => `[${chosen.has(option.value) ? "x" : " "}] ${option.label}`,
        ),
        ...(field.isRequired ? [] : ["Leave it out"]),
      ];
      const prompt = this.#prompt(field, reason);
      const index = await this.#user.select({ prompt, details: [], items }, this.#signal);
      if (index === null) return null;
      const option = field.options[index - 1];
      if (index > 0 && option === undefined) return "left out";
      reason = "";
      if (option !== undefined) {
        if (!chosen.delete(option.value)) chosen.add(option.value);
        continue;
      }
      const misfit = field.misfit(value);
      if (misfit === null) return { value };
      reason = `${misfit} `;
    }
  }

  #prompt(field: Field, reason: string): string {
    const hints = [field.hint, field.isRequired ? "required" : "optional"].filter(Boolean);
    const text = `${reason}${this.#form.title}: ${field.label} (${hints.join("; ")})`;
    return `${ellipsize(text, longestPrompt)}: `;
  }
}

function isList(value: FieldValue | null | undefined): value is readonly string[] {
  return Array.isArray(value);
}
