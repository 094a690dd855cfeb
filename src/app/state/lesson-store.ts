/** What refusals taught about models, in one small file of the state folder that all editors of this machine share. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createMemoryLessons,
  currentLessons,
  type LearnedLesson,
  type Lesson,
  type LessonStore,
  mostKept,
} from "../../providers/learning/lessons.ts";
import { isObject, type JsonObject, ownValue, parseJson } from "../../shared/json.ts";
import { isMissing } from "../../system/system-error.ts";
import { writeOwn } from "./own-files.ts";

const fileName = "lessons.json";

/** Read at the first request. If the file cannot be read or written, a lesson is lost, but no request fails. */
export function createLessonStore(stateFolder: string, log: (line: string) => void): LessonStore {
  const path = join(stateFolder, fileName);
  const memory = createMemoryLessons();
  let isRead = false;
  let writing = Promise.resolve();
  const read = () => {
    isRead = true;
    memory.add(readLessons(path, log));
  };
  return {
    all() {
      if (!isRead) read();
      return memory.all();
    },
    add(learned) {
      // Another editor may have added lessons meanwhile.
      read();
      memory.add(learned);
      const text = `${JSON.stringify(memory.all(), null, 1)}\n`;
      writing = writing
        .then(() => writeOwn(stateFolder, fileName, text))
        .catch((error: unknown) => log(`${path} could not be written: ${String(error)}`));
    },
  };
}

function readLessons(path: string, log: (line: string) => void): readonly LearnedLesson[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (!isMissing(error)) {
      log(`${path} could not be read: ${String(error)}`);
    }
    return [];
  }
  const value = parseJson(text);
  const found = Array.isArray(value) ? value.slice(-mostKept).filter(isLearned) : [];
  return currentLessons(found, Date.now());
}

function isLearned(value: unknown): value is LearnedLesson {
  if (!isObject(value)) return false;
  const { vendor, model, baseUrl, date, lesson } = value;
  return (
    [vendor, model, baseUrl, date].every((each) => typeof each === "string") && isLesson(lesson)
  );
}

/** One row for each kind. Lessons only leave something out or send back what came, so values need no closer look. */
const isOfKind: Readonly<Record<Lesson["kind"], (lesson: JsonObject) => boolean>> = {
  api: ({ api }) => api === "openai-chat" || api === "openai-responses",
  without: ({ what }) => typeof what === "string",
  "limit-field": ({ field }) => field === "max_tokens" || field === "max_completion_tokens",
  efforts: ({ efforts }) => Array.isArray(efforts),
  "call-ids": ({ length, isExact }) =>
    typeof length === "number" && length >= 8 && typeof isExact === "boolean",
  "thoughts-back": () => true,
  "signatures-back": () => true,
  "max-output": ({ tokens }) => typeof tokens === "number" && tokens >= 1,
  "thinks-first": ({ is }) => typeof is === "boolean",
  tool: ({ name, hash }) => typeof name === "string" && typeof hash === "string",
};

function isLesson(value: unknown): value is Lesson {
  if (!isObject(value) || typeof value.kind !== "string") return false;
  return ownValue(isOfKind, value.kind)?.(value) ?? false;
}
