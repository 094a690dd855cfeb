/** Prints progress to stderr, so that stdout has only the requested output. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Runs a script's main function; prints an error as a sentence, without a stack trace, and sets the exit code. */
export async function runMain(main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    say(process.env.DEBUG ? error.stack : error.message);
    process.exitCode = 1;
  }
}
