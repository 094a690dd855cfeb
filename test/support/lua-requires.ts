/** The requires of Lua modules, read from their texts. */

export interface LuaRequire {
  /** The module that requires, such as `parley.text.tip`. */
  readonly from: string;
  readonly to: string;
  /** Inside a function, or in a string that Neovim evaluates: it runs later, and is an arrow all the same. */
  readonly isLazy: boolean;
}

/** What one module requires of Parley's own modules. */
export function luaRequires(from: string, text: string): readonly LuaRequire[] {
  return text.split("\n").flatMap((line) => {
    const code = line.replace(/(^|\s)--.*$/, "");
    const names = [...code.matchAll(/require\s*\(?\s*["'](parley(?:\.[\w.]+)?)["']/g)];
    const isLazy = !/^local \w+ = require/.test(code);
    return names.map(([, to = ""]) => ({ from, to, isLazy })).filter(({ to }) => to !== from);
  });
}

/** The modules of one cycle, the first of them at both ends. */
export function findLuaCycle(requires: readonly LuaRequire[]): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (module: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (finished.has(module)) return undefined;
    for (const { from, to } of requires) {
      const cycle = from === module ? visit(to, [...path, module]) : undefined;
      if (cycle) return cycle;
    }
    finished.add(module);
    return undefined;
  };
  for (const { from } of requires) {
    const cycle = visit(from, []);
    if (cycle) return cycle;
  }
  return undefined;
}
