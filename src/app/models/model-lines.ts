/** The list of models as text: for reading, for the picker, and for completion. */

import { withRespondAction } from "../../conversation/keys.ts";
import { formatModelName } from "../../conversation/settings/model-name.ts";
import { localTime } from "../../shared/local-time.ts";
import { visible } from "../../shared/visible.ts";
import { offlineModel } from "../configuration/default-model.ts";
import type { ListedModel, ListedVendor, ModelList } from "./model-list.ts";

/** The list for reading: a vendor's line above those of its models. */
export function modelLines({ vendors, offline, notices }: ModelList): readonly string[] {
  return [
    "+ can be asked now, - not yet; context in tokens, prices for a million tokens in and out",
    ...vendors.flatMap((vendor) => [
      `${vendor.id}: ${vendor.label}, ${vendorText(vendor)}`,
      ...vendor.models.map(
        (model) =>
          `  ${model.usable ? "+" : "-"} ${visible(model.name)}: ${facts(model, vendor)}, ${abilities(model)}`,
      ),
      ...(vendor.serverTools.length > 0
        ? [`  server_tools: ${vendor.serverTools.join(", ")}`]
        : []),
    ]),
    `offline: ${offline.join(", ")}`,
    ...unknownPrices(vendors),
    ...notices,
  ];
}

/** What to do about unknown prices; empty when all are known. */
function unknownPrices(vendors: readonly ListedVendor[]): readonly string[] {
  const isUnknown = vendors.some(
    ({ isLocal, models }) => !isLocal && models.some(({ price }) => price === null),
  );
  if (!isUnknown) return [];
  return [
    "price unknown: neither Parley's price table nor the server has a price for the model; add it to `prices` in the configuration, or only its tokens are counted",
  ];
}

function vendorText({ id, key, asked, problem }: ListedVendor): string {
  if (key.source === null && key.needed) {
    return `no key: set ${key.variable} or providers.${id}.api_key`;
  }
  const way = key.source === null ? "asked without a key" : `key from ${key.source}`;
  if (problem !== null) {
    return `${way}. ${visible(withRespondAction(problem, "list the models again"))}`;
  }
  return asked === null ? way : `${way}, its own list of ${localTime(Date.parse(asked))}`;
}

function facts({ context, price }: ListedModel, { isLocal }: ListedVendor): string {
  const size = context === null ? "context unknown" : tokens(context);
  if (price !== null) return `${size}, $${price.input} and $${price.output}`;
  return `${size}, ${isLocal ? "on this machine" : "price unknown"}`;
}

function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${Math.round(count / 1000)}k`
    : `${(count / 1_000_000).toFixed(2).replace(/\.?0+$/, "")}M`;
}

function abilities({ api, tools, images, temperature, efforts }: ListedModel): string {
  return [
    tools ? "tools" : "tools as text",
    ...(images ? ["images"] : []),
    ...(temperature ? ["temperature"] : []),
    ...(efforts.length > 0 ? [`reasoning_effort ${efforts.join(" ")}`] : []),
    ...(api === "openai-responses" ? ["Responses API"] : []),
  ].join(", ");
}

/** The most models of one vendor that a picker offers; completion has all of them. */
const mostOffered = 12;

/**
 * What a picker offers: models that can be asked, then one of each vendor whose key is missing, with the name of that
 * key. All of them would be longer than a screen.
 */
export function modelChoices({ vendors }: ModelList): readonly string[] {
  const usable = vendors.filter(({ key }) => key.source !== null);
  const keyless = vendors.filter(({ key }) => key.source === null && !key.needed);
  const missing = vendors.filter(({ key }) => key.source === null && key.needed);
  const names = ({ models, asked }: ListedVendor) => {
    const there = asked === null ? models : models.filter((model) => model.usable);
    return there.slice(0, mostOffered).map(({ name }) => visible(name));
  };
  return [
    ...usable.flatMap(names),
    formatModelName(offlineModel),
    ...keyless.flatMap(names),
    ...missing.flatMap((vendor) =>
      names(vendor)
        .slice(0, 1)
        .map((name) => `${name} (no key: ${vendor.key.variable})`),
    ),
  ];
}

/** The names that completion offers: models that can be asked, as far as is known. */
export function modelNames({ vendors, offline }: ModelList): readonly string[] {
  const usable = vendors.filter(({ key }) => key.source !== null || !key.needed);
  const names = usable.flatMap(({ models, asked }) =>
    models.filter((model) => asked === null || model.usable).map(({ name }) => visible(name)),
  );
  return [...names, ...offline.slice(0, 1)];
}
