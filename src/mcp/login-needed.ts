/** A server refuses whoever is not logged in; only a person can change that. The message is a sentence. */
export class LoginNeededError extends Error {}
