/** Asks for what has to be agreed to before servers start: one question for a project's file, whatever it names. */
import type { ServersPerson } from "./person.ts";
import type { Consent, TrustStore } from "./trust.ts";

const choices = ["None of them", "All of them", "One after the other"] as const;

export async function askConsents(
  consents: readonly Consent[],
  person: ServersPerson,
  trust: TrustStore,
): Promise<void> {
  for (const group of groups(consents)) {
    const decided = group.length > 1 ? await askForAll(group, person) : null;
    for (const consent of group) {
      await trust.decide(consent, decided ?? (await askForOne(consent, person)));
    }
  }
}

/** Those of one project's file together; each other for itself. */
function groups(consents: readonly Consent[]): readonly (readonly Consent[])[] {
  const byFile = new Map<string, Consent[]>();
  for (const [index, consent] of consents.entries()) {
    const { project, from } = consent.server;
    const key = project === null || consent.word !== null ? `${index}` : `file ${from}`;
    byFile.set(key, [...(byFile.get(key) ?? []), consent]);
  }
  return [...byFile.values()];
}

/** Null: each is to be asked about. Whoever leaves the question has said no to all. */
async function askForAll(
  group: readonly Consent[],
  person: ServersPerson,
): Promise<boolean | null> {
  const from = group[0]?.server.from ?? "";
  const picked = await person.select(
    {
      prompt: `This project has ${group.length} MCP servers in ${from}. Start:`,
      details: group.flatMap(({ question }) => [...question.split("\n"), ""]),
      items: choices,
    },
    new AbortController().signal,
  );
  return picked === 2 ? null : picked === 1;
}

async function askForOne({ question, word }: Consent, person: ServersPerson): Promise<boolean> {
  if (word === null) return person.confirm(question);
  const prompt = `${question} Type ${word} to send it all the same: `;
  const typed = await person.input(prompt, "", new AbortController().signal);
  return typed?.trim() === word;
}
