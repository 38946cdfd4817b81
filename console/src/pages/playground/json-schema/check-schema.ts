import { keywordProblems } from "./keywords.ts";
import { isFields } from "../../../platform/json.ts";
import type { Place, SchemaProblem } from "./place.ts";

/** Deeper than any response: deeper nesting means that a reference leads back to itself. */
const MAX_DEPTH = 200;

/** Keywords that only describe, and need no check. */
const ANNOTATIONS = new Set(
  "$schema $id $defs definitions $comment $anchor title description default examples deprecated readOnly writeOnly".split(" "),
);

interface SchemaCheck {
  readonly problems: readonly SchemaProblem[];
  /** Keywords of the schema that were not checked. */
  readonly unchecked: readonly string[];
}

/** Checks a JSON value against a JSON Schema: the keywords that providers accept for structured output and tools, and a little more. */
export function checkSchema(schema: unknown, value: unknown): SchemaCheck {
  const unchecked = new Set<string>();
  const check = (part: unknown, at: Place): readonly SchemaProblem[] => {
    if (part === false) return [{ path: at.path, message: "is not allowed." }];
    if (!isFields(part)) return [];
    if (at.depth > MAX_DEPTH) return [{ path: at.path, message: "cannot be checked: the schema refers to itself without end." }];
    return Object.keys(part).flatMap((keyword) => {
      const problems = keywordProblems(keyword, { ...at, depth: at.depth + 1, schema: part, root: schema, check });
      if (problems === undefined && !ANNOTATIONS.has(keyword)) unchecked.add(keyword);
      return problems ?? [];
    });
  };
  return { problems: check(schema, { value, path: "$", depth: 0 }), unchecked: [...unchecked] };
}

/** Checks text that should be JSON. */
export function checkText(schema: unknown, text: string): SchemaCheck {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problems: [{ path: "$", message: `is not valid JSON. ${(error as Error).message}` }], unchecked: [] };
  }
  return checkSchema(schema, value);
}
