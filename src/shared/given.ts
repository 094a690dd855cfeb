/** One way to leave a member out of an object: what is not there is not a key. */

/**
 * The members that have a value; those that are null or undefined are left out. For objects whose keys mean something
 * by being there: requests to vendors, options that have a default, what Lua gets.
 */
export function given<Members extends object>(
  members: Members,
): { [Key in keyof Members]?: NonNullable<Members[Key]> };
export function given(members: object): object {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}
