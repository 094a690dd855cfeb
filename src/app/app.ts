/** What the host and the command line share: configuration, models, tools, local state, put together once. */
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import type { ModelName, RunOptions, Tool, ToolHost, ToolOutput } from "../conversation/ports.ts";
import { deniedText } from "../conversation/results.ts";
import { type ChatSettings, chatSettings } from "../conversation/settings/chat-settings.ts";
import { builtinGroup } from "../conversation/settings/tool-selection.ts";
import type { ChatPorts } from "../conversation/turn/chat.ts";
import type { ModelFacts } from "../conversation/usage.ts";
import { type McpHost, mockServerName } from "../mcp/host.ts";
import type { AllModels } from "../providers/models.ts";
import { allVendors } from "../providers/vendors/vendors.ts";
import { combineToolHosts } from "../tools/catalog.ts";
import { validateArguments } from "../tools/schema-validation.ts";
import type { Problem, ToolCall, Transcript } from "../transcript/transcript.ts";
import type { AppOptions } from "./app-parts.ts";
import { openBuiltinTools, openModels, openOwnTools, openServers } from "./app-parts.ts";
import type { ReadConfiguration } from "./configuration/config.ts";
import { chatModel, keySource, offlineModel } from "./configuration/default-model.ts";
import type { Configuration } from "./configuration/options.ts";
import { type ChatOptions, prepareRequest } from "./prepare.ts";
import { keepOutput } from "./references/keep-output.ts";
import type { ResourceSource } from "./references/read-resource.ts";
import { createLogins, type Logins } from "./servers/logins.ts";
import { createServers, type Servers } from "./servers/servers.ts";
import { approvedTools, changeSince, keepApproved } from "./state/approved-tools.ts";
import { addRecords, dropRecords, loadRecords } from "./state/remembered-store.ts";
import { findSecret, localSecret } from "./state/secret.ts";
import { policyOf, type Verdict } from "./tools/policy.ts";

export class App {
  readonly options: AppOptions;
  configuration: Configuration;
  /** What of it was passed over, in sentences. */
  configurationMistakes: readonly string[];
  models: AllModels;
  tools: ToolHost;
  /** Those of them that are from tool files. */
  ownTools: ToolHost;
  /** And those of servers. */
  mcp: McpHost;
  readonly mcpServers: Servers;
  readonly logins: Logins;
  readonly builtinTools: ToolHost;
  workingDirectory: string;
  #secret: Promise<string> | null = null;
  #toldOffline = false;

  constructor(options: AppOptions) {
    this.options = options;
    this.workingDirectory = options.workingDirectory;
    this.configuration = options.configuration;
    this.configurationMistakes = options.configurationMistakes;
    this.models = openModels(options, options.configuration);
    this.ownTools = openOwnTools(options, options.configuration);
    this.mcpServers = createServers({
      ...options,
      places: () => ({
        configurationFolder: options.configurationFolder,
        configured: this.configuration.mcp.servers,
        namedFile: options.serversFile,
        workingDirectory: this.workingDirectory,
      }),
    });
    this.builtinTools = openBuiltinTools(options, () => this.workingDirectory);
    this.mcp = this.#openServers();
    this.logins = createLogins({ session: this.mcpServers.session, mcp: () => this.mcp });
    this.tools = this.#allTools();
  }

  /** By their names in a tool selection. */
  get servers(): readonly string[] {
    return [builtinGroup, mockServerName, ...this.mcpServers.names()];
  }

  /** Of the servers that are configured and agreed to. */
  get resources(): ResourceSource {
    return this.mcp.offers;
  }

  /** Another configuration from here on; calls under way end with their old tools. */
  async configure({ configuration, configurationMistakes }: ReadConfiguration): Promise<void> {
    const old = this.tools;
    this.configuration = configuration;
    this.configurationMistakes = configurationMistakes;
    this.models = openModels(this.options, configuration);
    this.ownTools = openOwnTools(this.options, configuration);
    this.mcp = this.#openServers();
    this.tools = this.#allTools();
    await old.close();
  }

  /** What stands first has a name that two tools share, so the person's own come first. */
  #allTools(): ToolHost {
    // What a model has read of files is remembered over a change of the configuration.
    const builtin: ToolHost = { ...this.builtinTools, close: async () => {} };
    return combineToolHosts([this.ownTools, builtin, this.mcp]);
  }

  #openServers(): McpHost {
    const { configuration } = this;
    const { settings } = chatSettings({ range: null, entries: [] }, configuration);
    return openServers(this.options, configuration, this.mcpServers, {
      workingFolder: () => this.workingDirectory,
      model: () => this.modelOf(settings),
      stream: (request, how) => this.models.stream(request, how),
      maxTokens: () => settings.max_tokens,
    });
  }

  async setWorkingDirectory(path: string): Promise<void> {
    this.workingDirectory = path;
    await this.mcp.rootsChanged();
  }

  /** The model a chat asks. */
  modelOf(settings: ChatSettings): ModelName {
    const { environment } = this.options;
    return chatModel(settings, { configuration: this.configuration, environment });
  }

  /** Said once: that the offline model answers because there is no key. */
  offlineNotice(model: ModelName, settings: ChatSettings): readonly string[] {
    const isFallback = settings.model === null && model === offlineModel;
    if (!isFallback || this.#toldOffline) return [];
    this.#toldOffline = true;
    return [
      "No API key is set, so the offline model mock/demo answers; :Parley models (parley models) names the keys.",
    ];
  }

  async factsOf(model: ModelName): Promise<ModelFacts> {
    const { modelFacts } = await import("../providers/prices/prices.ts");
    return modelFacts(model, this.configuration.prices);
  }

  modelOfTranscript(transcript: Transcript): ModelName {
    return this.modelOf(chatSettings(transcript.header, this.configuration).settings);
  }

  secret(): Promise<string> {
    const secret = this.#secret ?? localSecret(this.options.stateFolder);
    this.#secret = secret;
    // A folder that could not be written may be mended while we run.
    secret.catch(() => {
      this.#secret = null;
    });
    return secret;
  }

  /** Null when none was made yet; makes none. */
  findSecret(): Promise<string | null> {
    return findSecret(this.options.stateFolder);
  }

  /** Where each vendor's key comes from, by name only; null: there is none. */
  keySources(): readonly {
    readonly provider: string;
    readonly variable: string;
    readonly needsKey: boolean;
    readonly source: string | null;
  }[] {
    const sources = { configuration: this.configuration, environment: this.options.environment };
    const { providers } = this.configuration;
    return allVendors(providers).map(({ id, keyVariable, needsKey }) => ({
      provider: id,
      variable: keyVariable,
      needsKey,
      source: keySource(id, sources),
    }));
  }

  /** Remarks about values of the header that cannot be used. */
  headerProblems(transcript: Transcript): readonly Problem[] {
    return chatSettings(transcript.header, this.configuration).problems;
  }

  /** Loads what the first request will need, so that it leaves at once; a failure shows when it is needed. */
  warm(transcript: Transcript): void {
    const { settings } = chatSettings(transcript.header, this.configuration);
    const model = this.modelOf(settings);
    Promise.all([this.models.warm(model), this.factsOf(model)]).catch((error: unknown) =>
      this.options.log(`warm: ${error}`),
    );
  }

  /** The tools this chat is offered, by wire name. */
  async toolsOf(
    transcript: Transcript,
    chat: Pick<ChatOptions, "model" | "tools"> = {},
  ): Promise<ReadonlyMap<string, Tool>> {
    const { settings } = chatSettings(transcript.header, this.configuration);
    const { provider, id } = this.modelOf(settings);
    const model = chat.model ?? `${provider}/${id}`;
    const { tools } = await this.tools.list(chat.tools ?? settings.tools, model);
    return new Map(tools.map((tool) => [tool.name, tool]));
  }

  chatPorts(chat: ChatOptions): ChatPorts {
    const { stateFolder, log, notify } = this.options;
    let offered: ReadonlyMap<string, Tool> = new Map();
    let changes: ReadonlyMap<string, string> = new Map();
    return {
      editor: chat.editor,
      stream: (request, how) => this.models.stream(request, how),
      runTool: async (call, how) => {
        const tool = offered.get(call.name);
        // It may have been found in the text, or edited since it was proposed.
        const isDenied = tool !== undefined && this.verdict(tool, call).answer === "deny";
        return isDenied ? denied : this.tools.run(call, { ...how, ...originIn(chat, how) });
      },
      offered: async (transcript) => {
        offered = await this.toolsOf(transcript, chat);
        return offered;
      },
      prepare: async (transcript, exchange, how) => {
        const { references } = exchange.question;
        const named = references.flatMap(({ kind, label }) => (kind === "resource" ? [label] : []));
        await this.#agreeToServers(transcript, chat, how.signal, named);
        const prepared = await prepareRequest(this, chat, transcript, exchange, {
          ...how,
          online: true,
        });
        offered = prepared.tools;
        changes = await this.changes(offered);
        return prepared;
      },
      validate: (tool, argumentsText) => validateArguments(tool, argumentsText, log),
      policy: (tool, call) => {
        const { answer } = this.verdict(tool, call);
        // A rule was written for the tool as it was.
        return answer === "allow" && changes.has(tool.name) ? "ask" : answer;
      },
      keepOutput: (output) =>
        keepOutput(output, { path: chat.path(), limit: this.configuration.result_limit }),
      remembered: {
        path: async () => {
          const path = chat.path();
          return path === null ? null : await realpath(path).catch(() => null);
        },
        records: async () => {
          const path = chat.path();
          if (path === null) return [];
          const { records, notices } = await loadRecords(stateFolder, await realpath(path));
          for (const notice of notices) notify("warn", notice);
          return records;
        },
        add: (records) => addRecords(stateFolder, records),
        drop: (records) => dropRecords(stateFolder, records),
      },
      changes: (tools) => this.changes(tools),
      approved: (tools) => keepApproved(stateFolder, tools),
      secret: () => this.secret(),
      limits: () => ({ modelCalls: this.configuration.max_model_calls }),
      confirm: chat.confirm,
      report: chat.report,
    };
  }

  /** What of these tools is another than when a person said yes to them last, by name, in words. */
  async changes(tools: ReadonlyMap<string, Tool>): Promise<ReadonlyMap<string, string>> {
    const approved = await approvedTools(this.options.stateFolder, tools.values());
    const found = [...tools].map(([name, tool]) => [name, changeSince(approved.get(name), tool)]);
    return new Map(found.filter((entry): entry is [string, string] => entry[1] !== null));
  }

  /** What the person's rules say of a call, those of the project included. */
  verdict(tool: Tool, call: ToolCall): Verdict {
    const { auto_approve, rules } = this.configuration;
    const deny = [...rules.deny, ...this.mcpServers.denied()];
    return policyOf({ ...rules, autoApprove: auto_approve, deny })(tool, call);
  }

  /** Before a request: whoever waits for the answer is there to be asked. A stop does not wait for the person. */
  async #agreeToServers(
    transcript: Transcript,
    chat: ChatOptions,
    signal: AbortSignal,
    named: readonly string[],
  ): Promise<void> {
    const { settings } = chatSettings(transcript.header, this.configuration);
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([this.mcpServers.agree(chat.tools ?? settings.tools, named), stopped]);
  }

  async close(): Promise<void> {
    this.logins.close();
    await Promise.all([this.tools.close(), this.builtinTools.close()]);
  }
}

/** The place of a call with the name of its chat. */
function originIn(chat: ChatOptions, { origin }: RunOptions): Pick<RunOptions, "origin"> {
  const path = chat.path();
  if (origin === undefined || path === null) return {};
  return { origin: { ...origin, place: () => `${origin.place()} of ${basename(path)}` } };
}

const denied: ToolOutput = { status: "declined", text: deniedText, media: [] };
