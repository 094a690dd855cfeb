/** What holds where nobody configured anything, for tests that need a whole configuration. */
import { type Configuration, configurationOptions } from "../../src/app/configuration/options.ts";
import { defaultsOf } from "../../src/conversation/settings/option.ts";
import { type OAuthSettings, oauthSchema, toOAuthSettings } from "../../src/mcp/oauth/settings.ts";

const { chat_dir: _, ...all } = defaultsOf(configurationOptions);
export const defaults: Configuration = all;

/** Where a server's entry says nothing of it. */
export const defaultOAuthSettings: OAuthSettings = oauthDefaults();

function oauthDefaults(): OAuthSettings {
  const settings = toOAuthSettings(oauthSchema.parse({}));
  if (settings === null) throw new Error("An entry that says nothing logs in.");
  return settings;
}
