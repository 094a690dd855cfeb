/**
 * The only module that loads undici; imported when a proxy is named. undici is CommonJS: names imported from it by
 * `import()` exist in Node but not in a bundle, so this module uses a static import.
 */
export { EnvHttpProxyAgent, fetch } from "undici";
