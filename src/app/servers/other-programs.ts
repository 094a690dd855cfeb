/** Where other programs keep the user's MCP servers on this machine. */
import { pathsOf } from "../../system/paths.ts";
import {
  applicationSettings,
  configFolder,
  type Surroundings,
} from "../../system/standard-folders.ts";

export interface OtherProgram {
  /** Its name on the command line. */
  readonly id: string;
  readonly name: string;
  /** The first file that exists is read. */
  readonly files: readonly string[];
}

export function otherPrograms(machine: Surroundings): readonly OtherProgram[] {
  const { home, platform } = machine;
  const { join } = pathsOf(platform);
  const config = configFolder(machine);
  const settings = applicationSettings(machine);
  const program = (id: string, name: string, ...files: readonly string[]) => ({ id, name, files });
  return [
    program("claude-code", "Claude Code", join(home, ".claude.json")),
    program(
      "claude-desktop",
      "Claude Desktop",
      join(settings, "Claude", "claude_desktop_config.json"),
    ),
    program("cursor", "Cursor", join(home, ".cursor", "mcp.json")),
    program(
      "windsurf",
      "Windsurf",
      join(home, ".codeium", "windsurf", "mcp_config.json"),
      join(home, ".codeium", "mcp_config.json"),
    ),
    program("vscode", "VS Code", join(settings, "Code", "User", "mcp.json")),
    program(
      "opencode",
      "opencode",
      join(config, "opencode", "opencode.json"),
      join(config, "opencode", "opencode.jsonc"),
    ),
    program("gemini", "Gemini CLI", join(home, ".gemini", "settings.json")),
    program("copilot", "Copilot CLI", join(home, ".copilot", "mcp-config.json")),
    program("zed", "Zed", join(config, "zed", "settings.json")),
    program("mcphub", "mcphub", join(config, "mcphub", "servers.json")),
    program("codex", "Codex", join(home, ".codex", "config.toml")),
  ];
}
