import type { Invocation } from "../command.ts";

/** The sentence for an empty result: "No usage matches --account nope." It repeats the filters, because a misspelt name matches nothing. */
export function noneMatching(
  nothing: "No requests" | "No usage",
  { options }: Pick<Invocation, "options">,
  isFilter: (option: string) => boolean,
): string {
  const filters = Object.entries(options).filter(([name]) => isFilter(name));
  const given = filters.map(([name, value]) => ` --${name}${value === "" ? "" : ` ${value}`}`).join("");
  return given === "" ? `${nothing}.` : `${nothing} match${nothing === "No usage" ? "es" : ""}${given}.`;
}
