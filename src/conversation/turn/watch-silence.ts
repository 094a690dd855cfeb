/** Notices that a model says nothing for a while: it thinks without a word, the line is dead, or the machine slept. */

/** Milliseconds without a word that are told, and then again after so many more. */
const silentMs = 10_000;
const againMs = 5_000;
const lookMs = 1_000;

export interface SilenceWatch {
  /** Something came. */
  heard(): void;
  end(): void;
}

/** Tells the seconds of silence so far, and null when it is over. The clock goes on while a machine sleeps. */
export function watchSilence(tell: (seconds: number | null) => void): SilenceWatch {
  let last = Date.now();
  let told: number | null = null;
  const timer = setInterval(() => {
    const silent = Date.now() - last;
    if (silent < silentMs || (told !== null && silent - told < againMs)) return;
    told = silent;
    tell(Math.round(silent / 1000));
  }, lookMs);
  timer.unref();
  return {
    heard() {
      last = Date.now();
      if (told !== null) tell(null);
      told = null;
    },
    end: () => clearInterval(timer),
  };
}
