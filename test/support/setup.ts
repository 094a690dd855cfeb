/** Read by Vitest before each file of tests. */
import { afterAll } from "vitest";
import { endAllOfFile } from "./file-end.ts";

afterAll(endAllOfFile);
