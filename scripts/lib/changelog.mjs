// Reads the section of one version from CHANGELOG.md.

/** Returns the section of a version without its heading. Throws when it is missing or empty. */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const isOfVersion = (section) => section.split(/\s/, 1)[0] === version;
  const notes = sections
    .find(isOfVersion)
    ?.replace(/^.*\n?/, "")
    .trim();
  if (!notes) {
    throw new Error(
      `CHANGELOG.md says nothing of version ${version}: give its Unreleased section that name. Nothing was made.`,
    );
  }
  return `${notes}\n`;
}
