/** Why a request of the user was not carried out: a sentence for the user, and not a fault of the program. */
export class Refusal extends Error {}
