import type { Option } from "./command.ts";
import { choice } from "./options.ts";

/** The options of a list whose order can be chosen, and which hides archived resources. */
export function listOptions(nouns: string, sorts: readonly string[]): Readonly<Record<string, Option>> {
  return {
    sort: choice("sort", sorts, `sort order (default: ${sorts[0]})`),
    direction: choice("direction", ["asc", "desc"], "direction (default: by the sort order, such as A to Z, or newest first)"),
    archived: { field: "archived", meaning: `only archived ${nouns}, which are in no other list`, read: () => "true" },
  };
}
