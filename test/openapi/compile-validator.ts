import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { documents, type ListenerName } from "./documents.ts";

/** One for each document, which stays whole so that its references can be followed. */
const ajvs = new Map<ListenerName, Ajv>();

function ajvOf(listener: ListenerName): Ajv {
  const known = ajvs.get(listener);
  if (known) return known;
  // A oneOf whose alternatives have types of their own has none itself, and a schema may require what another part of it names.
  const ajv = new Ajv({ strictTypes: false, strictRequired: false, validateSchema: false, inlineRefs: false, code: { source: true } });
  ajv.addVocabulary(["openapi", "info", "servers", "security", "paths", "components", "example"]);
  ajv.addSchema(documents[listener], listener);
  ajvs.set(listener, ajv);
  return ajv;
}

/** The source of a CommonJS module whose export checks a value against the schema at this place of the document. */
export function compileValidator(listener: ListenerName, pointer: string): string {
  return standalone(ajvOf(listener), ajvOf(listener).getSchema(`${listener}#${pointer}`)!);
}
