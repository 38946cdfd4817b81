import type { Violation } from "../../lib/schema/schema.ts";

/** Fields that refer to objects of the operator's account at the provider, at any depth of a request, and what they refer to. */
const OBJECTS: ReadonlyMap<string, string> = new Map([
  ["file_id", "an uploaded file"],
  ["file_ids", "uploaded files"],
  ["container_id", "a container"],
  ["skill_id", "a skill"],
  ["skills", "skills"],
  ["vector_store_id", "a vector store"],
  ["vector_store_ids", "vector stores"],
  ["collection_id", "a collection"],
  ["collection_ids", "collections"],
  ["connector_id", "a connector"],
  ["tunnel_id", "a tunnel"],
]);

/** Objects at the provider are rejected, because all callers of the gateway would share them. */
export function violationOfReference(field: string, value: unknown): Violation | undefined {
  const object = OBJECTS.get(field);
  if (object === undefined || !isGiven(value)) return undefined;
  const hint = field.startsWith("file_") ? ": send the content" : "";
  return {
    problem: "unknown",
    path: [field],
    message: `refers to ${object} at the provider, which all callers of this gateway would share${hint}`,
  };
}

export function isGiven(value: unknown): boolean {
  return value != null && !(Array.isArray(value) && value.length === 0);
}
