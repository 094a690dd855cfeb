/** What the host and the command line share: its parts, and the values that one configuration makes. */
import { isDeepStrictEqual } from "node:util";
import type { CallPath, ToolHost } from "../conversation/ports.ts";
import { chatSettings } from "../conversation/settings/chat-settings.ts";
import type { McpHost } from "../mcp/mcp-host.ts";
import type { AllModels } from "../providers/models.ts";
import { keyVariables } from "../providers/vendors/key-sources.ts";
import { type CombinedTools, combineToolHosts } from "../tools/combined-hosts.ts";
import {
  type AppOptions,
  type McpSources,
  openBuiltinTools,
  openModels,
  openOwnTools,
  openServers,
  optionsOfModels,
  optionsOfOwnTools,
  optionsOfServers,
} from "./app-parts.ts";
import type { ReadConfiguration } from "./configuration/config.ts";
import { chatModel, createOfflineNotice } from "./configuration/default-model.ts";
import type { Configuration, RuleConfiguration } from "./configuration/options.ts";
import { reasonOf } from "./files/reason-of.ts";
import type { ModelServers } from "./models/ask-servers.ts";
import { createLogins, type Logins } from "./servers/logins.ts";
import { createServers, type Servers } from "./servers/servers.ts";
import { createHints, type Hints } from "./state/hints.ts";
import { checkRights } from "./state/own-files.ts";
import { createSecret, type LocalSecret } from "./state/secret.ts";
import { createServedLists, type ServedLists } from "./state/served-models.ts";
import { changeDenialOf, pathFrame, readDenialOf } from "./tools/policy.ts";
import { createToolChanges } from "./tools/tool-changes.ts";

/** The values that one configuration makes. Another configuration makes all of them again. */
export interface Configured extends ReadConfiguration {
  readonly models: AllModels;
  /** The tools from tool files. */
  readonly ownTools: ToolHost;
  /** The tools of MCP servers. */
  readonly mcp: McpHost;
  /** All tools, including the built-in ones. */
  readonly tools: CombinedTools;
}

export class App {
  readonly options: AppOptions;
  /** MCP servers, as configured and approved. */
  readonly servers: Servers;
  readonly logins: Logins;
  readonly builtinTools: ToolHost;
  readonly secret: LocalSecret;
  /** The models that each vendor's server listed. */
  readonly servedLists: ServedLists;
  readonly hints: Hints;
  readonly offlineNotice = createOfflineNotice();
  /** Reports when other tools, or tools whose definition changed, may be offered. */
  readonly toolChanges = createToolChanges();
  #workingDirectory: string;
  #now: Configured;
  #isUnwritableReported = false;
  #areRightsChecked = false;

  constructor(options: AppOptions) {
    this.options = options;
    this.#workingDirectory = options.workingDirectory;
    this.secret = createSecret(options.stateFolder);
    this.hints = createHints(options.stateFolder, options.log);
    this.servedLists = createServedLists(options.stateFolder, options.log);
    this.servers = createServers({
      ...options,
      seen: this.toolChanges.files,
      trustChanged: () => this.toolChanges.changed(),
      keep: (written) => this.kept(written),
      sources: () => ({
        configurationFolder: options.configurationFolder,
        configured: this.#now.configuration.mcp.servers,
        namedFile: options.serversFile,
        workingDirectory: this.#workingDirectory,
      }),
      keyVariables: () => keyVariables(this.#now.configuration),
      loginCommands: () => this.#now.configuration.login_commands,
    });
    this.logins = createLogins({
      login: this.servers.login,
      mcp: () => this.#now.mcp,
      disabled: this.servers.disabled,
    });
    this.builtinTools = openBuiltinTools(options, () => this.#workingDirectory, {
      readDenial: (path) => this.readDenial(path),
      timeoutMs: () => this.#now.configuration.tool_timeout * 1000,
      command: () => ({
        environment: options.environment,
        withheldVariables: keyVariables(this.#now.configuration),
        sandbox: this.#now.configuration.sandbox,
        timeoutMs: this.#now.configuration.command_timeout * 1000,
      }),
    });
    this.#now = this.#make(options);
  }

  /** A caller that keeps this value across an `await` continues with the configuration that was in force before. */
  get now(): Configured {
    return this.#now;
  }

  /** Asks servers for their lists of models, and keeps those lists. */
  get modelServers(): ModelServers {
    const { configuration, models } = this.now;
    const sources = { configuration, environment: this.options.environment };
    return { sources, models, lists: this.servedLists };
  }

  get workingDirectory(): string {
    return this.#workingDirectory;
  }

  /** Switches to another configuration. MCP servers run on, unless an option that all of them share has changed. */
  async configure(read: ReadConfiguration): Promise<void> {
    const before = this.#now;
    if (isDeepStrictEqual(read.configuration, before.configuration)) {
      this.#now = { ...before, ...read };
      return;
    }
    this.#now = this.#make(read, before);
    this.#otherSources();
    const { ownTools, mcp } = this.#now;
    if (before.ownTools !== ownTools) await before.ownTools.close();
    if (before.mcp !== mcp) await before.mcp.close();
  }

  async setWorkingDirectory(path: string): Promise<void> {
    this.#workingDirectory = path;
    this.#otherSources();
    await this.#now.mcp.rootsChanged();
  }

  /** The deny rules of the user's configuration and of the project. */
  denied(): readonly RuleConfiguration[] {
    return [...this.#now.configuration.rules.deny, ...this.servers.denied()];
  }

  /** The deny rule that keeps a file from the tools and references that read; null: there is none. */
  readDenial(path: CallPath): string | null {
    return readDenialOf(this.denied(), pathFrame(this.#workingDirectory))(path);
  }

  /** The deny rule that keeps a file from the tools that change files; null: there is none. */
  changeDenial(path: CallPath): string | null {
    return changeDenialOf(this.denied(), pathFrame(this.#workingDirectory))(path);
  }

  /** Waits for a write into the state folder. What cannot be written holds for this process; one warning says so. */
  async kept(written: Promise<void>): Promise<void> {
    const { stateFolder, log, notify } = this.options;
    const believed = written.then(() => {
      const isFirst = !this.#areRightsChecked;
      this.#areRightsChecked = true;
      if (isFirst) checkRights(stateFolder);
    });
    await believed.catch((error: unknown) => {
      log(`state: ${error}`);
      if (this.#isUnwritableReported) return;
      this.#isUnwritableReported = true;
      const reason = reasonOf(error);
      notify(
        "warn",
        `Parley cannot write to its state folder ${stateFolder} (${reason}), so it may ask you again about what you allowed.`,
      );
    });
  }

  async close(): Promise<void> {
    this.logins.close();
    await Promise.all([this.#now.tools.close(), this.builtinTools.close()]);
  }

  #otherSources(): void {
    this.toolChanges.forgetFiles();
    this.toolChanges.changed();
  }

  /** Keeps the parts of an earlier configuration that the same options make. */
  #make(read: ReadConfiguration, before: Configured | null = null): Configured {
    const { configuration, configurationMistakes, optionsOfSetup } = read;
    const { options } = this;
    const kept = (optionsOf: (from: Configuration) => object) => {
      const isSame =
        before !== null &&
        isDeepStrictEqual(optionsOf(before.configuration), optionsOf(configuration));
      return isSame ? before : null;
    };
    const models =
      kept(optionsOfModels)?.models ?? openModels(options, optionsOfModels(configuration));
    const ownTools =
      kept(optionsOfOwnTools)?.ownTools ??
      openOwnTools(options, optionsOfOwnTools(configuration), this.toolChanges.files);
    const mcp =
      kept(optionsOfServers)?.mcp ??
      openServers(options, optionsOfServers(configuration), this.#sources());
    // What a model has read of files is remembered across a change of the configuration.
    const builtin: ToolHost = { ...this.builtinTools, close: async () => {} };
    // When two tools share a name, the first host in the list wins, so the user's own tools come first.
    const tools = combineToolHosts([ownTools, builtin, mcp]);
    const made = { models, ownTools, mcp, tools };
    return { configuration, configurationMistakes, optionsOfSetup, ...made };
  }

  /** What MCP servers may use, in the configuration that is in force when they do. */
  #sources(): McpSources {
    const { environment } = this.options;
    const settings = () =>
      chatSettings({ range: null, entries: [] }, this.#now.configuration).settings;
    return {
      servers: this.servers.find,
      toolsChanged: () => this.toolChanges.changed(),
      toolsMayHaveChanged: () => this.toolChanges.mayHaveChanged(),
      workingFolder: () => this.#workingDirectory,
      model: () => chatModel(settings(), { configuration: this.#now.configuration, environment }),
      stream: (...asked) => this.#now.models.stream(...asked),
      maxTokens: () => settings().max_tokens,
    };
  }
}
