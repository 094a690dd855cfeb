/**
 * The header fields of a request or a response, with the interface of the standard's `Headers`. Node's own class pulls
 * in all of its `fetch`, web streams, HTTP/2 and a parser in WebAssembly: 10 MB and 35 ms for a map of a few strings.
 */
type Pair = [name: string, value: string];

export class HttpHeaders implements Headers {
  /** By lower-case name; only `set-cookie` has more than one value. */
  readonly #fields = new Map<string, string[]>();

  constructor(init: NonNullable<RequestInit["headers"]> = []) {
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(String(name), String(value));
  }

  /** Goes by the object's tag, so that an instance of Node's own class counts as well. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === "[object Headers]";
  }

  get [Symbol.toStringTag](): string {
    return "Headers";
  }

  /** Throws a TypeError when a header cannot contain this. */
  append(name: string, value: string): void {
    const [key, text] = checked(name, value);
    const before = this.#fields.get(key);
    if (before === undefined) this.#fields.set(key, [text]);
    else if (key === "set-cookie") before.push(text);
    else this.#fields.set(key, [`${before.join()}, ${text}`]);
  }

  set(name: string, value: string): void {
    const [key, text] = checked(name, value);
    this.#fields.set(key, [text]);
  }

  delete(name: string): void {
    this.#fields.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#fields.get(name.toLowerCase())?.join(", ") ?? null;
  }

  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase());
  }

  getSetCookie(): string[] {
    return [...(this.#fields.get("set-cookie") ?? [])];
  }

  /** Sorted by their names. */
  entries(): ReturnType<Headers["entries"]> {
    const names = [...this.#fields.keys()].sort();
    return names
      .flatMap((name) => (this.#fields.get(name) ?? []).map((value): Pair => [name, value]))
      .values();
  }

  keys(): ReturnType<Headers["keys"]> {
    return [...this.entries()].map(([name]) => name).values();
  }

  values(): ReturnType<Headers["values"]> {
    return [...this.entries()].map(([, value]) => value).values();
  }

  [Symbol.iterator](): ReturnType<Headers["entries"]> {
    return this.entries();
  }

  forEach(callback: (value: string, name: string, parent: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }
}

function checked(name: string, value: string): Pair {
  const text = stripped(value);
  // RFC 9110, 5.1 and 5.5. The value may be a secret, so the error does not contain it.
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new TypeError("This is not the name of a header.");
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
    throw new TypeError(`The header ${name} has a character that no header can have.`);
  }
  return [name.toLowerCase(), text];
}

/** Removes white space at both ends; a loop, because a pattern would take quadratic time. */
function stripped(value: string): string {
  const isBlank = (at: number) => "\t\n\r ".includes(value.charAt(at));
  let [start, end] = [0, value.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return value.slice(start, end);
}
