/**
 * fast-check as every property test has it. The numbers are the same each time, so that a change is what breaks a test
 * and never the day it is run on: `PARLEY_TEST_SEED=7` takes others, `PARLEY_TEST_SEED=random` takes new ones.
 */
// biome-ignore lint/style/noRestrictedImports: the one place.
import fc from "fast-check";

const given = process.env.PARLEY_TEST_SEED ?? "1";
if (given !== "random") {
  const seed = Number(given);
  if (!Number.isInteger(seed))
    throw new Error(`PARLEY_TEST_SEED is “random” or a number, not ${given}`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}

export default fc;
