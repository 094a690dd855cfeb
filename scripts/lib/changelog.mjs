// CHANGELOG.md as data: what it says of one version.

/** The section of a version without its heading. Throws where there is none, or none with words. */
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
