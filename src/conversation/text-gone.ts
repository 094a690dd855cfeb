/** `Editor.read` rejects with this when the text is no longer open: what its file holds is what was last written. */
export class TextGone extends Error {
  constructor() {
    super("The text is not open any more, so there is nothing to read.");
  }
}
