/** The order in which the files of tests are run. */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What takes longest comes first, so that no long file runs alone at the end. The rest of the files comes last: those
 * without an editor and without a process of their own are over in a moment.
 */
const first = [
  "test/release/release",
  "test/host/",
  "test/release/",
  "test/cli/",
  "test/lua/",
  "test/mcp/",
  "test/examples/",
  "test/providers/streams",
  "test/app/",
  "test/scripts/",
];

/** By the list above, and within a place of it as Vitest does it: by the time that the run before took, or by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => this.#place(left) - this.#place(right));
  }

  #place({ moduleId, project }: TestSpecification): number {
    // A process that has served one file serves the next one, unless one of these is in between.
    if (project.name === "alone") return -1;
    const path = relative(this.ctx.config.root, moduleId).replaceAll("\\", "/");
    const place = first.findIndex((start) => path.startsWith(start));
    return place < 0 ? first.length : place;
  }
}
