/** Events of one kind: who wants to hear them, the way to tell, and how often it was told. */
export interface Listeners {
  /** Gives back what ends it. */
  add(listener: () => void): () => void;
  tell(): void;
  /** What was found out when this was another number may be something else now. */
  readonly times: number;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  let times = 0;
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell() {
      times += 1;
      for (const listener of [...listeners]) listener();
    },
    get times() {
      return times;
    },
  };
}
