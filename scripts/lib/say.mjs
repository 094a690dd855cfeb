/** Progress goes to stderr, so that stdout holds only what was asked for. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Runs a script's main function; a failure is a sentence and an exit code, not a stack trace. */
export async function runMain(main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    say(process.env.DEBUG ? error.stack : error.message);
    process.exitCode = 1;
  }
}
