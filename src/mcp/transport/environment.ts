/**
 * The variables a server gets without being configured; the same as the MCP SDK's own (reference
 * client).
 */
const safeVariables =
  process.platform === "win32"
    ? [
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "PROGRAMW6432",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "USERNAME",
        "USERPROFILE",
        "WINDIR",
      ]
    : ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/**
 * The whole environment of a server: the safe set and what is configured. No API key of ours is in
 * it.
 */
export function serverEnvironment(
  configured: Readonly<Record<string, string>> | undefined,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of safeVariables) {
    const value = own[name];
    // Old versions of bash export functions as variables like this one; they are code.
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...configured };
}
