/** Which model is asked when neither the chat nor the configuration names one. */

import type { ModelName } from "../../conversation/ports.ts";
import { type ChatSettings, chatSettings } from "../../conversation/settings/chat-settings.ts";
import { type KeySources, usableModel } from "../../providers/vendors/key-sources.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { Configuration } from "./options.ts";

/** Works offline and costs nothing. */
export const offlineModel: ModelName = { provider: "mock", id: "demo" };

/** What decides which model a chat asks. */
export interface ModelSources extends KeySources {
  readonly configuration: Configuration;
}

/** The chat's model: the header's or the configured one, else one whose API key is present, else the offline model. */
export function chatModel({ model }: Pick<ChatSettings, "model">, sources: KeySources): ModelName {
  return model ?? usableModel(sources) ?? offlineModel;
}

/** The model that a chat asks now. */
export function transcriptModel({ header }: Transcript, sources: ModelSources): ModelName {
  return chatModel(chatSettings(header, sources.configuration).settings, sources);
}

/** Reports once that the offline model answers because there is no API key; says nothing where the chat chose it. */
export function createOfflineNotice() {
  let isReported = false;
  return (model: ModelName, settings: Pick<ChatSettings, "model">): readonly string[] => {
    const isFallback = settings.model === null && model === offlineModel;
    if (!isFallback || isReported) return [];
    isReported = true;
    return [
      "No API key is set, so the offline model mock/demo answers. :Parley models, or `parley models` in a shell, names the keys.",
    ];
  };
}
