/** What stands around a call in the forms that only a prompt asks for; prompts and readers share it. */

export const smiley = "😊";
export const smileys = smiley.repeat(14);
export const delimitedOpener = "<<<TOOL_CALL>>>";
export const delimitedCloser = "<<<END_TOOL_CALL>>>";
