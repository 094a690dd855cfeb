/** The names of the keys of a chat, as `keys` and `global_keys` in the configuration hold them. */
export const keyNames = [
  "respond",
  "stop",
  "help",
  "retry",
  "new",
  "approve_all",
  "approve_always",
  "approve_one",
  "approve_always_one",
  "deny_one",
  "deny_all",
  "details",
] as const;
