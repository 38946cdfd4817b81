import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import { documents, type ListenerName } from "./documents.ts";

const ROOT = join(import.meta.dir, "../..");
const CACHE = join(ROOT, "node_modules/.cache/tollgate-validators");

const loaded = new Map<string, ValidateFunction>();

/**
 * The function that checks a value against the schema at this place of a document. It is compiled once and kept: hundreds of test files
 * check a few kinds of replies each, and to load Ajv and compile four of them takes 0.3 s of CPU time, to load the compiled ones 0.03 s.
 */
export function validatorAt(listener: ListenerName, pointer: string): ValidateFunction {
  const path = join(folderOf(listener), `${Bun.hash(pointer).toString(36)}.cjs`);
  const known = loaded.get(path);
  if (known) return known;
  if (!existsSync(path)) keep(listener, pointer, path);
  const validator = require(path) as ValidateFunction;
  loaded.set(path, validator);
  return validator;
}

const folders = new Map<ListenerName, string>();

/** Another one after a change of the document, of Ajv, or of its options. */
function folderOf(listener: ListenerName): string {
  const known = folders.get(listener);
  if (known !== undefined) return known;
  const compiler = ["test/openapi/compile-validator.ts", "node_modules/ajv/package.json"].map((file) =>
    readFileSync(join(ROOT, file), "utf8"),
  );
  const folder = join(CACHE, Bun.hash([listener, JSON.stringify(documents[listener]), ...compiler].join()).toString(36));
  folders.set(listener, folder);
  return folder;
}

/** Tests run in parallel: a module has its name when it is complete. */
function keep(listener: ListenerName, pointer: string, path: string): void {
  // Loaded here: with a module for each reply, nobody needs it.
  const { compileValidator } = require("./compile-validator.ts") as typeof import("./compile-validator.ts");
  const unfinished = `${path}.${crypto.randomUUID()}`;
  mkdirSync(folderOf(listener), { recursive: true });
  writeFileSync(unfinished, compileValidator(listener, pointer));
  renameSync(unfinished, path);
}
