/** Parses resources as servers list and return them. An invalid part is skipped; the rest is kept. */

import { isObject, stringOf } from "../../shared/json.ts";
import { readBinary } from "./content.ts";

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

/** An address with placeholders (`note://{name}`). */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
}

export interface ResourceList {
  readonly resources: readonly ListedResource[];
  readonly templates: readonly ResourceTemplate[];
}

/** `data` is base64; null if the server's data cannot be read. */
export type ResourcePart =
  | { readonly uri: string; readonly text: string }
  | { readonly uri: string; readonly mime: string; readonly data: string | null };

export function toResources(items: readonly unknown[]): readonly ListedResource[] {
  return distinct(items.flatMap((item) => described(item, "uri", (uri) => ({ uri }))));
}

/** RFC 6570 templates have no spaces: completing one with a space would let the server add text and references. */
export function toTemplates(items: readonly unknown[]): readonly ResourceTemplate[] {
  return items
    .flatMap((item) => described(item, "uriTemplate", (uriTemplate) => ({ uriTemplate })))
    .filter(({ uriTemplate }) => !/\s|@@/.test(uriTemplate));
}

/** The result of `resources/read`; `uri` is used for parts without one. */
export function toResourceParts(result: unknown, uri: string): readonly ResourcePart[] {
  const contents = isObject(result) ? result.contents : null;
  if (!Array.isArray(contents)) return [];
  return contents.flatMap((item) => toResourcePart(item, uri) ?? []);
}

export function toResourcePart(item: unknown, uri: string): ResourcePart | null {
  if (!isObject(item)) return null;
  const own = stringOf(item.uri) ?? uri;
  const text = stringOf(item.text);
  if (text !== null) return { uri: own, text };
  const binary = readBinary(item.blob, item.mimeType);
  return binary === null ? null : { uri: own, ...binary };
}

function described<T>(item: unknown, key: string, make: (address: string) => T) {
  if (!isObject(item)) return [];
  const address = stringOf(item[key]);
  if (address === null || address === "") return [];
  const name = stringOf(item.title) ?? stringOf(item.name) ?? "";
  return [{ ...make(address), name, description: stringOf(item.description) ?? "" }];
}

function distinct(resources: readonly ListedResource[]): readonly ListedResource[] {
  return [...new Map(resources.map((resource) => [resource.uri, resource])).values()];
}
