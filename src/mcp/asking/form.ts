/**
 * A form that a server asks for (MCP, elicitation in form mode): first whether it is answered at all, then one
 * question for each field, then a look at what is sent. Leaving a field leads to that look, so that nothing typed
 * is lost; leaving the look, or the first question, cancels.
 */
import { clip } from "../../shared/visible.ts";
import type { Dialogue } from "./dialogue.ts";
import { type Field, type FieldValue, parseTyped, shownValue } from "./form-fields.ts";

/** MCP's `ElicitResult`. */
export type FormResult = {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | number | boolean | string[]>;
};

export interface Form {
  /** Who asks, in one line. */
  readonly title: string;
  /** What the server says, and for which call. */
  readonly details: readonly string[];
  readonly fields: readonly Field[];
}

const longestPrompt = 200;

/** Rejects once the signal is aborted. */
export async function askForm(
  form: Form,
  person: Dialogue,
  signal: AbortSignal,
): Promise<FormResult> {
  const items = ["Answer", "Decline", "Cancel"];
  const begin = await person.select({ prompt: form.title, details: form.details, items }, signal);
  if (begin === 1) return { action: "decline" };
  if (begin !== 0) return { action: "cancel" };
  const filling = new Filling(form, person, signal);
  await filling.goOn();
  return filling.review();
}

/** One form while it is filled in. */
class Filling {
  readonly #form: Form;
  readonly #person: Dialogue;
  readonly #signal: AbortSignal;
  readonly #values = new Map<Field, FieldValue>();
  readonly #asked = new Set<Field>();

  constructor(form: Form, person: Dialogue, signal: AbortSignal) {
    this.#form = form;
    this.#person = person;
    this.#signal = signal;
  }

  /** Asks for what was not asked for yet, until the person leaves. */
  async goOn(): Promise<void> {
    for (const field of this.#form.fields) {
      if (!this.#asked.has(field) && !(await this.#ask(field))) return;
    }
  }

  async review(): Promise<FormResult> {
    const { title, fields } = this.#form;
    for (;;) {
      const isComplete = fields.every((field) => !field.isRequired || this.#values.has(field));
      const left = fields.filter((field) => !this.#asked.has(field));
      const items = [
        ...(isComplete ? ["Send"] : []),
        ...(left.length > 0 ? [`Go on answering (${left.length} left)`] : []),
        ...(fields.length > 0 ? ["Edit a field"] : []),
        "Decline",
        "Cancel",
      ];
      const details = ["This is sent:", ...fields.map((field) => this.#line(field))];
      const chosen = await this.#person.select({ prompt: title, details, items }, this.#signal);
      const item = chosen === null ? "Cancel" : (items[chosen] ?? "Cancel");
      if (item === "Send") return { action: "accept", content: this.#content() };
      if (item === "Decline") return { action: "decline" };
      if (item === "Cancel") return { action: "cancel" };
      if (item === "Edit a field") await this.#edit();
      else await this.goOn();
    }
  }

  #line(field: Field): string {
    const value = this.#values.get(field);
    const missing = value === undefined && field.isRequired;
    return `  ${field.label}: ${missing ? "(required, not answered yet)" : shownValue(field, value)}`;
  }

  #content(): NonNullable<FormResult["content"]> {
    return Object.fromEntries(
      [...this.#values].map(([{ name }, value]) => [name, isList(value) ? [...value] : value]),
    );
  }

  async #edit(): Promise<void> {
    const { fields, title } = this.#form;
    const items = fields.map((field) => this.#line(field).trim());
    const prompt = `${title}: which field?`;
    const chosen = await this.#person.select({ prompt, details: [], items }, this.#signal);
    const field = chosen === null ? undefined : fields[chosen];
    if (field !== undefined) await this.#ask(field);
  }

  /** False when the person left the field. */
  async #ask(field: Field): Promise<boolean> {
    const answer = await this.#answer(field);
    if (answer === null) return false;
    this.#asked.add(field);
    if (answer === "left out") this.#values.delete(field);
    else this.#values.set(field, answer.value);
    return true;
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

  /** An empty text leaves an optional field out. */
  async #type(field: Field): Promise<{ readonly value: FieldValue } | "left out" | null> {
    const before = this.#values.get(field) ?? (this.#asked.has(field) ? "" : field.initial);
    let text = before === null ? "" : String(before);
    let reason = "";
    for (;;) {
      const typed = await this.#person.input(this.#prompt(field, reason), text, this.#signal);
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
    const now = this.#values.get(field) ?? (this.#asked.has(field) ? null : field.initial);
    const items = [
      ...options.map(({ label, value }) => (value === now ? `${label} (default)` : label)),
      ...(field.isRequired ? [] : ["Leave it out"]),
    ];
    const prompt = this.#prompt(field, "");
    const chosen = await this.#person.select({ prompt, details: [], items }, this.#signal);
    if (chosen === null) return null;
    const option = options[chosen];
    return option === undefined ? "left out" : { value: option.value };
  }

  async #chooseSeveral(field: Field): Promise<{ readonly value: FieldValue } | "left out" | null> {
    const before = this.#values.get(field) ?? (this.#asked.has(field) ? [] : field.initial);
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
      const index = await this.#person.select({ prompt, details: [], items }, this.#signal);
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
    const { fields, title } = this.#form;
    const hints = [field.hint, field.isRequired ? "required" : "optional"].filter(Boolean);
    const place = `${fields.indexOf(field) + 1}/${fields.length}`;
    const text = `${reason}${title} ${place}, ${field.label} (${hints.join("; ")})`;
    const shown = clip(text, longestPrompt);
    return `${shown.text}${shown.cut ? "…" : ""}: `;
  }
}

function isList(value: FieldValue | null | undefined): value is readonly string[] {
  return Array.isArray(value);
}
