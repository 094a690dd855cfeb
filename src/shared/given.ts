/** The one way to leave a member out of an object: an absent value has no key. */

/**
 * Returns the members that have a value, without those that are null or undefined. For objects in which the presence of
 * a key has a meaning: requests to vendors, options with a default, data for Lua.
 */
export function given<Members extends object>(
  members: Members,
): { [Key in keyof Members]?: NonNullable<Members[Key]> };
export function given(members: object): object {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}
