/**
 * How much text a function looks at: characters handed to the searches of strings and of regular expressions. Work that
 * grows with the square of a text shows here at twice its size, whatever else the machine does.
 */

type Method = (this: unknown, ...args: never[]) => unknown;

const methods = ["split", "includes", "trim", "trimEnd", "startsWith", "endsWith"] as const;
const searches = ["indexOf", "lastIndexOf"] as const;

function countSteps(run: () => unknown): number {
  let steps = 0;
  const restore: (() => void)[] = [];
  const patch = (target: object, name: string, make: (original: Method) => Method) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    if (descriptor === undefined) throw new Error(`There is no ${name}.`);
    Object.defineProperty(target, name, { ...descriptor, value: make(descriptor.value) });
    restore.push(() => Object.defineProperty(target, name, descriptor));
  };
  for (const name of methods) {
    patch(String.prototype, name, (original) => {
      return function counted(this: unknown, ...args) {
        const [wanted] = args as readonly unknown[];
        // These look no further than what they look for.
        const isShort = name === "startsWith" || name === "endsWith";
        steps += isShort ? String(wanted).length : String(this).length + 1;
        return Reflect.apply(original, this, args);
      };
    });
  }
  for (const name of searches) {
    patch(String.prototype, name, (original) => {
      return function counted(this: unknown, ...args) {
        const found = Number(Reflect.apply(original, this, args));
        const from = Number((args as readonly unknown[])[1] ?? 0);
        const way = name === "indexOf" ? (found < 0 ? String(this).length : found) - from : 0;
        steps += Math.max(0, way) + 1;
        return found;
      };
    });
  }
  patch(RegExp.prototype, "exec", (original) => {
    return function counted(this: unknown, ...args) {
      const pattern = this as RegExp;
      const text = String((args as readonly unknown[])[0]);
      const isMoving = pattern.global || pattern.sticky;
      const from = isMoving ? pattern.lastIndex : 0;
      const found = Reflect.apply(original, this, args) as RegExpExecArray | null;
      const end = found === null ? text.length : found.index + (found[0]?.length ?? 0);
      steps += Math.max(0, (pattern.sticky && found === null ? from : end) - from) + 1;
      return found;
    };
  });
  try {
    run();
    return steps;
  } finally {
    for (const undo of restore) undo();
  }
}

/** Steps at twice the size over steps at the size: near 2 for what is linear, 4 for a square. */
export function growth(size: number, run: (size: number) => () => unknown): number {
  const small = run(size);
  const large = run(2 * size);
  return countSteps(large) / countSteps(small);
}
