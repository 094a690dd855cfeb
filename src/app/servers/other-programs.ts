/** Where other programs keep the person's MCP servers on this machine. */
import { join } from "node:path";

export interface OtherProgram {
  /** As it is named on the command line. */
  readonly id: string;
  readonly name: string;
  /** The first that is there is read. */
  readonly files: readonly string[];
}

export interface Machine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function otherPrograms({ home, platform, environment }: Machine): readonly OtherProgram[] {
  const config = environment.XDG_CONFIG_HOME ?? join(home, ".config");
  const application = {
    darwin: join(home, "Library", "Application Support"),
    win32: environment.APPDATA ?? join(home, "AppData", "Roaming"),
  }[platform as string];
  const settings = application ?? config;
  const program = (id: string, name: string, ...files: readonly string[]) => ({ id, name, files });
  return [
    program("claude-code", "Claude Code", join(home, ".claude.json")),
    program(
      "claude-desktop",
      "Claude Desktop",
      join(settings, "Claude", "claude_desktop_config.json"),
    ),
    program("cursor", "Cursor", join(home, ".cursor", "mcp.json")),
    program("vscode", "VS Code", join(settings, "Code", "User", "mcp.json")),
    program(
      "opencode",
      "opencode",
      join(config, "opencode", "opencode.json"),
      join(config, "opencode", "opencode.jsonc"),
    ),
    program("gemini", "Gemini CLI", join(home, ".gemini", "settings.json")),
    program("zed", "Zed", join(config, "zed", "settings.json")),
    program("mcphub", "mcphub", join(config, "mcphub", "servers.json")),
    program("codex", "Codex", join(home, ".codex", "config.toml")),
  ];
}
