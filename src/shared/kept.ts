/**
 * What was made of segments of a long list, kept for the next list that has them. It is only kept while work is done
 * ahead, and until `forgetKept`: keeping it every time would cost more time and memory than it saves.
 */

interface Segment<Item, Made> {
  readonly items: readonly Item[];
  /** What else it was made of, compared by identity. */
  readonly context: readonly unknown[];
  readonly made: Made;
}

let isAhead = false;
const tables: { forget(): void }[] = [];

/** Does synchronous work whose results are kept. */
export function ahead<Result>(work: () => Result): Result {
  const was = isAhead;
  isAhead = true;
  try {
    return work();
  } finally {
    isAhead = was;
  }
}

/** Forgets everything that was kept. */
export function forgetKept(): void {
  for (const table of tables) table.forget();
}

export interface Steps<Item, Made> {
  /** Makes something of one item. */
  each(item: Item, index: number): void;
  /** Takes what was made of a segment; false: its items are made again, one by one. */
  segment(made: Made): boolean;
  /** Whether what is made of either item does not depend on the other. Absent: it never does. */
  isSeam?(before: Item, after: Item): boolean;
}

export interface KeptSegments<Item extends object, Made> {
  /** Goes through the list, and takes kept segments in place of their items. */
  walk(items: readonly Item[], steps: Steps<Item, Made>, ...context: readonly unknown[]): void;
  /** Whether all of the list was kept as one segment. */
  has(items: readonly Item[], ...context: readonly unknown[]): boolean;
  /** Keeps what was made of all of the list, while work is done ahead. Neither may change afterwards. */
  keep(items: readonly Item[], made: () => Made, ...context: readonly unknown[]): void;
}

/** A table for a module, which lives as long as the process. */
export function createKept<Item extends object, Made>(): KeptSegments<Item, Made> {
  /** By the first item. */
  let known = new WeakMap<Item, Segment<Item, Made>>();
  tables.push({
    forget() {
      known = new WeakMap();
    },
  });
  const find = (items: readonly Item[], at: number, context: readonly unknown[]) => {
    const first = items[at];
    const found = first && known.get(first);
    const isSame =
      found?.items.every((item, index) => item === items[at + index]) &&
      found.context.every((value, index) => value === context[index]);
    return isSame ? found : undefined;
  };
  return {
    walk(items, { each, segment, isSeam = () => true }, ...context) {
      const isCut = (at: number) => {
        const [before, after] = [items[at - 1], items[at]];
        return before === undefined || after === undefined || isSeam(before, after);
      };
      let index = 0;
      while (index < items.length) {
        const found = find(items, index, context);
        const end = index + (found?.items.length ?? 1);
        const isTaken = found && isCut(index) && isCut(end) && segment(found.made);
        for (; index < end; index += 1) {
          const item = items[index];
          if (!isTaken && item !== undefined) each(item, index);
        }
      }
    },
    has: (items, ...context) => find(items, 0, context)?.items.length === items.length,
    keep(items, made, ...context) {
      const [first] = items;
      if (isAhead && first !== undefined) known.set(first, { items, context, made: made() });
    },
  };
}

/**
 * Makes one list of another with kept segments, and keeps it.
 * @param add adds what an item becomes; it may replace the last element, but changes none
 */
export function convert<Item extends object, Made>(
  table: KeptSegments<Item, readonly Made[]>,
  items: readonly Item[],
  {
    add,
    ...seams
  }: Pick<Steps<Item, unknown>, "isSeam"> & {
    add(made: Made[], item: Item, index: number): void;
  },
  ...context: readonly unknown[]
): Made[] {
  const made: Made[] = [];
  const steps: Steps<Item, readonly Made[]> = {
    ...seams,
    each: (item, index) => add(made, item, index),
    segment(list) {
      for (const one of list) made.push(one);
      return true;
    },
  };
  table.walk(items, steps, ...context);
  table.keep(items, () => [...made], ...context);
  return made;
}
