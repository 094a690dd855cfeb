/** Files in which a project says which MCP servers it has. */
import { join } from "node:path";

/** Paths below a folder. Of one folder, what stands first has a name that two files give. */
export const projectFiles = [
  ".mcp.json",
  join(".vscode", "mcp.json"),
  join(".cursor", "mcp.json"),
  join(".mcphub", "servers.json"),
];
