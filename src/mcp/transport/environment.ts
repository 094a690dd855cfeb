/** The environment of a server process: what programs need to run at all, what is configured, and no key of ours. */
import {
  hasVariable,
  isNeededVariable,
  withAbsolutePath,
  withoutVariables,
  withVariables,
} from "../../system/variables.ts";

/**
 * The variables that a server gets without configuration: those of the MCP SDK (reference client), and those that real
 * servers need to reach the network, a display, an agent or their installation.
 */
const safeVariables: ReadonlySet<string> = new Set([
  ..."HOME LOGNAME PATH SHELL TERM USER TMPDIR TZ LANG LANGUAGE".split(" "),
  ..."HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy".split(
    " ",
  ),
  ..."SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA".split(" "),
  ..."REQUESTS_CA_BUNDLE CURL_CA_BUNDLE".split(" "),
  ..."SSH_AUTH_SOCK DOCKER_HOST DOCKER_CONTEXT DISPLAY WAYLAND_DISPLAY XAUTHORITY".split(" "),
  ..."DBUS_SESSION_BUS_ADDRESS VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR PYENV_ROOT".split(" "),
  ..."GOPATH GOROOT CARGO_HOME RUSTUP_HOME JAVA_HOME".split(" "),
]);

/** Whole families of variables. */
const safeBeginning = /^(XDG|LC|NVM|FNM)_[A-Z0-9_]+$/;

/**
 * The whole environment of a server: the safe set, the variables named in `passed`, and the configured ones. Relative
 * entries are removed from any `PATH`: they would find programs in whatever folder the server starts in.
 */
export function serverEnvironment(
  configured: Readonly<Record<string, string>> | undefined,
  passed: readonly string[] = [],
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const named = new Set(passed);
  const meant = Object.entries(own).filter(([name, value = ""]) => {
    const isSafe = isNeededVariable(name, safeVariables) || safeBeginning.test(name);
    // Old versions of bash export functions as such values, and these are code.
    return !value.startsWith("()") && (isSafe || hasVariable(named, name));
  });
  const all = withVariables(Object.fromEntries(meant), configured ?? {});
  return withoutVariables(withAbsolutePath(all), []);
}
