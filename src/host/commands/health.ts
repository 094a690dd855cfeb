/** The host's part of `:checkhealth parley`; contains names of key variables only, never a value. */
import type { App } from "../../app/app.ts";
import { serverTable } from "../../app/servers/report.ts";
import { mockServerName, modelOfferedAll } from "../../mcp/mcp-host.ts";
import { keySources } from "../../providers/vendors/key-sources.ts";
import { within } from "../../shared/waiting.ts";
import { log } from "../log.ts";
import type { HealthLine } from "../lua-calls.ts";
import { machineLines } from "./machine-lines.ts";

export async function healthReport(
  app: App,
  chats: number,
): Promise<{ readonly lines: readonly HealthLine[] }> {
  return {
    lines: [
      { level: "ok", text: `the host runs on Node ${process.versions.node} (${process.execPath})` },
      {
        level: "info",
        text: `chats followed: ${chats}; log: ${log.path() ?? "none"}`,
      },
      ...(await machineLines(app)),
      ...configurationLines(app),
      ...keyLines(app),
      ...(await ownToolLines(app)),
      ...(await serverLines(app)),
    ],
  };
}

function configurationLines({ now: { configurationMistakes } }: App): readonly HealthLine[] {
  if (configurationMistakes.length === 0) {
    return [{ level: "ok", text: "no mistakes in config.json and setup()" }];
  }
  return configurationMistakes.map((text) => ({
    level: "warn",
    text,
    fix: "Fix it and save the file, or call setup() again; :help parley-options says what each option takes.",
  }));
}

function keyLines(app: App): readonly HealthLine[] {
  const sources = keySources({
    configuration: app.now.configuration,
    environment: app.options.environment,
  });
  const lines = sources.flatMap(({ provider, source }): HealthLine[] =>
    source === null ? [] : [{ level: "ok", text: `${provider}: key from ${source}` }],
  );
  const missing = sources.filter(({ needsKey, source }) => needsKey && source === null);
  if (missing.length === 0) return lines;
  const named = missing.map(({ provider, variable }) => `${provider} (${variable})`).join(", ");
  return [
    ...lines,
    {
      level: "info",
      text: `no key: ${named}`,
      fix: "Set the variable in the environment, or providers.NAME.api_key in the configuration.",
    },
  ];
}

async function ownToolLines(app: App): Promise<readonly HealthLine[]> {
  const { tools, notices } = await app.now.ownTools.list(null, modelOfferedAll);
  const lines: HealthLine[] = notices.map((notice) => ({
    level: "warn",
    text: notice,
    fix: "Fix the file and save it; :help parley-tools describes it.",
  }));
  const names = tools.map((tool) => tool.name).join(", ");
  if (tools.length > 0) lines.push({ level: "ok", text: `tools of your own: ${names}` });
  return lines;
}

async function serverLines(app: App): Promise<readonly HealthLine[]> {
  const own = await app.now.ownTools.list(mockServerName, modelOfferedAll);
  const { tools, notices: all } = await app.now.tools.list(mockServerName, modelOfferedAll);
  // Mistakes in the configuration are reported with its servers below.
  const { notices: ofServers, remarks } = await app.now.mcp.status();
  const remarksShown = [...own.notices, ...ofServers, ...remarks];
  const notices = all.filter((notice) => !remarksShown.includes(notice));
  const lines: HealthLine[] = notices.map((notice) => ({
    level: "error",
    text: notice,
    fix: ":Parley build rebuilds dist/; :Parley log says more.",
  }));
  const names = tools.map((tool) => tool.name).join(", ");
  if (tools.length > 0) lines.push({ level: "ok", text: `MCP server mock answers: ${names}` });
  return [...lines, ...(await configuredServerLines(app))];
}

/** Milliseconds; Neovim does not wait long for the report. */
const connectPatienceMs = 3500;
const countPatienceMs = 500;

/** Connects to the servers; a slow server is reported in the state that it has then. */
async function configuredServerLines(app: App): Promise<readonly HealthLine[]> {
  const listed = app.now.mcp
    .list(null, modelOfferedAll)
    .then(() => app.now.mcp.catalogs.count(countPatienceMs));
  await within(listed, connectPatienceMs);
  const { servers, notices, remarks } = await app.now.mcp.status();
  const remarksShown = [...notices, ...remarks];
  const mistakes = remarksShown.map((text): HealthLine => ({ level: "warn", text }));
  const [, ...rows] = serverTable(servers);
  const lines = servers.flatMap((server, index): HealthLine[] => {
    const text = `MCP ${rows[index] ?? ""}`;
    const why = server.leftOut ?? server.problem;
    if (why !== null) return [{ level: "warn", text, fix: why }];
    const lacks = server.problems.map((problem): HealthLine => ({ level: "info", text: problem }));
    return [{ level: server.state === "ready" ? "ok" : "info", text }, ...lacks];
  });
  return [...mistakes, ...lines];
}
