import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { documents, type ListenerName } from "./documents.ts";

/** One instance for each document, which is added completely so that its references can be resolved. */
const ajvs = new Map<ListenerName, Ajv>();

function ajvOf(listener: ListenerName): Ajv {
  const known = ajvs.get(listener);
  if (known) return known;
  // A oneOf whose alternatives have different types has no type itself, and a schema may require a field that another part of it declares.
  const ajv = new Ajv({ strictTypes: false, strictRequired: false, validateSchema: false, inlineRefs: false, code: { source: true } });
  ajv.addVocabulary(["openapi", "info", "servers", "security", "paths", "components", "example"]);
  ajv.addSchema(documents[listener], listener);
  ajvs.set(listener, ajv);
  return ajv;
}

/** The source of a CommonJS module that exports a function, which checks a value against the schema at this position of the document. */
export function compileValidator(listener: ListenerName, pointer: string): string {
  return standalone(ajvOf(listener), ajvOf(listener).getSchema(`${listener}#${pointer}`)!);
}
