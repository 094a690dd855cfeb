/** Checks results against their tool's `outputSchema`. A mismatch is only reported; the result stays as it is. */

import { isObject, type JsonObject, messageOf } from "../../shared/json.ts";
import { visible } from "../../shared/visible.ts";
import type { ClientFeatures } from "../asking/client-features.ts";
import type { ToolList } from "../catalog/tool-list.ts";

export interface OutputChecks {
  /** Stores the tools of the latest list. */
  take(list: ToolList): void;
  /** Never throws. */
  check(tool: string, result: unknown): Promise<void>;
}

/** The first mismatch of each tool since it was listed is shown to the user; further ones are logged. */
export function createOutputChecks(
  server: string,
  { notify }: Pick<ClientFeatures, "notify">,
  log: (text: string) => void,
): OutputChecks {
  let schemas = new Map<string, JsonObject>();
  let reported = new Set<string>();
  const warn = (tool: string, sentence: string) => {
    const about = `its tool ${visible(tool)} ${sentence}`;
    if (reported.has(tool)) log(about);
    else notify("warn", `MCP server ${visible(server)}: ${about}`);
    reported.add(tool);
  };
  return {
    take({ tools }) {
      schemas = new Map(
        tools.flatMap(({ name, outputSchema }) =>
          outputSchema === undefined ? [] : [[name, outputSchema] as const],
        ),
      );
      reported = new Set();
    },
    async check(tool, result) {
      const schema = schemas.get(tool);
      // An error result need not fit the schema.
      if (schema === undefined || !isObject(result) || result.isError === true) return;
      const { structuredContent } = result;
      if (structuredContent === undefined) {
        warn(tool, "declares structured content and gave none. Its result was kept as it is.");
        return;
      }
      try {
        const { schemaMismatch } = await import("../../tools/schema-validation.ts");
        const mistakes = await schemaMismatch(server, schema, structuredContent);
        if (mistakes === null) return;
        warn(
          tool,
          `gave a result that does not fit the schema it declares: ${visible(mistakes)} It was kept as it is.`,
        );
      } catch (error) {
        const reason = messageOf(error);
        warn(
          tool,
          `declares a schema of its results that cannot be used, so they are not checked: ${visible(reason.slice(0, 300))}`,
        );
      }
    },
  };
}
