import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import { documents, type ListenerName } from "./documents.ts";

const ROOT = join(import.meta.dir, "../..");
const CACHE = join(ROOT, "node_modules/.cache/tollgate-validators");

const loaded = new Map<string, ValidateFunction>();

/**
 * The function that checks a value against the schema at this position of a document. It is compiled once and stored. Hundreds of test
 * files check a few kinds of replies each: loading Ajv and compiling four functions takes 0.3 s of CPU time, loading compiled functions
 * 0.03 s.
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

/** The folder changes with the document, with Ajv, and with its options. */
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

/** Tests run in parallel, so a module gets its final name only when it is complete. */
function keep(listener: ListenerName, pointer: string, path: string): void {
  // Loaded on demand: if all replies have modules, it is not needed.
  const { compileValidator } = require("./compile-validator.ts") as typeof import("./compile-validator.ts");
  const unfinished = `${path}.${crypto.randomUUID()}`;
  mkdirSync(folderOf(listener), { recursive: true });
  writeFileSync(unfinished, compileValidator(listener, pointer));
  renameSync(unfinished, path);
}
