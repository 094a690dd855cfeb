/** Why something was not done that a person asked for: a sentence for them, and no fault of the program. */
export class Refusal extends Error {}
