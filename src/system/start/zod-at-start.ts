/**
 * Imported before zod: by default zod compiles a function for each schema at its first use, which costs a start more
 * than it ever saves in checks of configuration and of Neovim's messages. zod reads this when a schema is made.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
