/** Takes an image from the clipboard or a capture program and keeps it next to the transcript. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageType } from "../../shared/sendable-images.ts";
import { clip, collapseWhitespace } from "../../shared/visible.ts";
import { bytesOfCommand, type CommandOutcome } from "../../system/commands.ts";
import { clipboardImageCommands } from "../../system/programs.ts";
import { isMissing } from "../../system/system-error.ts";
import type { Configuration } from "../configuration/options.ts";
import { largestImage, tooLargeText } from "../files/file-content.ts";
import { linkInFilesFolder } from "./files-link.ts";
import { saveMedia } from "./media.ts";

export type ImageSource = keyof Configuration["image_commands"];

/** In a command, replaced by the file that the program writes; without it, the program prints the image. */
const filePlaceholder = "{file}";

/** In milliseconds: a capture waits until the user has chosen a region. */
const commandTimeoutMs = 120_000;

/** The path of the image, relative to the transcript, for a line of it. Rejects with a sentence. */
export async function takeImage(
  source: ImageSource,
  commands: Configuration["image_commands"],
  transcriptPath: string,
): Promise<string> {
  const bytes = await imageBytes(source, commands);
  const mime = imageType(bytes);
  if (mime === null) {
    throw new Error(
      bytes.length === 0
        ? `There is no image in the ${source === "clipboard" ? "clipboard" : "capture"}.`
        : "The result is not a PNG, JPEG, GIF or WebP image, so nothing was kept.",
    );
  }
  if (bytes.length > largestImage) {
    throw new Error(`The image ${tooLargeText(largestImage, "an image")}, so it was not kept.`);
  }
  const { file } = await saveMedia(transcriptPath, {
    mime,
    data: Buffer.from(bytes).toString("base64"),
  });
  return linkInFilesFolder(transcriptPath, file);
}

async function imageBytes(
  source: ImageSource,
  commands: Configuration["image_commands"],
): Promise<Uint8Array> {
  const configured = commands[source];
  const known = source === "clipboard" ? clipboardImageCommands() : [];
  const candidates = configured ? [configured] : known;
  for (const command of candidates) {
    const bytes = await runImageCommand(command);
    if (bytes !== null) return bytes;
  }
  const setting = `image_commands.${source}`;
  if (configured) throw new Error(`${configured[0]} (${setting}) was not found.`);
  throw new Error(
    source === "capture"
      ? `No program for captures is configured: write one as a list of words into ${setting}, see :help parley-images.`
      : `None of ${known.map(([name]) => name).join(", ")} is installed; install one, or write a command into ${setting}.`,
  );
}

/** Null: the program is not installed. */
async function runImageCommand([program = "", ...args]: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "parley-image-"));
  const file = join(folder, "image");
  const words = args.map((word) => word.replaceAll(filePlaceholder, file));
  try {
    const printed = await run(program, words);
    if (printed === null || words.every((word, index) => word === args[index])) return printed;
    return await readFile(file).catch((error: unknown) => {
      if (isMissing(error)) return new Uint8Array();
      throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(program: string, args: readonly string[]): Promise<Uint8Array | null> {
  const { outcome, stdout, stderr } = await bytesOfCommand(program, args, {
    timeoutMs: commandTimeoutMs,
    longest: 8 * largestImage,
  });
  if (outcome.type === "ended" && outcome.code === 0) return stdout;
  if (outcome.type === "missing") return null;
  // These programs fail when there is no image.
  const said = clip(collapseWhitespace(stderr), 200).text || whyFailed(outcome);
  throw new Error(`${program} gave no image${said === "" ? "" : `: ${said}`}.`);
}

function whyFailed(outcome: CommandOutcome): string {
  switch (outcome.type) {
    case "timeout":
      return `it took longer than ${commandTimeoutMs / 1000} s`;
    case "too-long":
      return "it printed more than an image can have";
    case "failed":
      return outcome.reason;
    default:
      return "";
  }
}
