/** What the command line's exit codes mean; the same for every subcommand. */
export const exitCodes = {
  finished: 0,
  failed: 1,
  wrongUsage: 2,
  waitsForApproval: 3,
  providerFailed: 4,
  maxStepsReached: 5,
} as const;
