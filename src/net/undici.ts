/**
 * The only module that loads undici; imported when a proxy is named. undici is CommonJS: names imported from it by
 * `import()` exist in Node and not in a bundle, so here they stand in a static import.
 */
export { EnvHttpProxyAgent, fetch } from "undici";
