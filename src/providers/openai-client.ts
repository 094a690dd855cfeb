/** The SDK as every vendor of OpenAI's APIs is asked through it. Loaded on first use: it brings the SDK. */
import OpenAI from "openai";
import type { Connection } from "./connection.ts";
import { createFetch } from "./create-fetch.ts";

export function createOpenAIClient({ vendor, apiKey, baseUrl, environment }: Connection): OpenAI {
  // Whose account it is at OpenAI is nothing for other vendors.
  const account = vendor.id === "openai" ? environment : {};
  return new OpenAI({
    apiKey: apiKey ?? "none",
    // A server without a key gets no header for one.
    ...(apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
    adminAPIKey: null,
    organization: account.OPENAI_ORG_ID ?? null,
    project: account.OPENAI_PROJECT_ID ?? null,
    webhookSecret: null,
    baseURL: baseUrl,
    maxRetries: 0,
    fetch: createFetch(environment),
    // The SDK would write what the provider sent, whole, to the console.
    logLevel: "off",
  });
}
