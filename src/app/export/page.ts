/** A page that shows a chat: its parts, made one by one, and its images. */
import type { SharedTurn } from "./shared-chat.ts";

/** A format of pages. */
export interface Page {
  turn(turn: SharedTurn, images: PageImages): string;
  whole(turns: readonly string[]): string;
}

/** How an image is shown in one place of the page. */
export interface PageImage {
  /** Counts the images of the page from 1. */
  readonly number: number;
  /** `data:…`; null: the image is shown further up. */
  readonly address: string | null;
}

/**
 * The images of a page, each with its data only where it comes first: an image of a few megabytes that a chat names in
 * a hundred places would make the page too long for a browser, and soon for a text of JavaScript.
 */
export class PageImages {
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #numbers = new Map<string, number>();

  /** `addresses`: `data:…` addresses by plain file name. */
  constructor(addresses: ReadonlyMap<string, string>) {
    this.#addresses = addresses;
  }

  /** Call it for each place in the order of the page. Null: there is no such image. */
  next(file: string): PageImage | null {
    const address = this.#addresses.get(file);
    if (address === undefined) return null;
    const shown = this.#numbers.get(file);
    if (shown !== undefined) return { number: shown, address: null };
    const number = this.#numbers.size + 1;
    this.#numbers.set(file, number);
    return { number, address };
  }
}
