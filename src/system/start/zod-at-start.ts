/**
 * Imported before zod: it would make a function of each schema at the schema's first use, which costs a start more than
 * it ever saves in checks of what people configure and Neovim tells. zod reads this when a schema is made.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
