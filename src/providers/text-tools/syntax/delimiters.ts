/** The delimiters of the forms that only a prompt asks for, shared by prompts and readers. */

export const smiley = "😊";
export const smileys = smiley.repeat(14);
export const delimitedOpener = "<<<TOOL_CALL>>>";
export const delimitedCloser = "<<<END_TOOL_CALL>>>";
