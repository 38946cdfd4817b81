import { moment } from "../../parts/format.ts";
import { OUTCOME_WORDS } from "./format-outcome.ts";
import { SPANS, type RequestSearch } from "./request-search.ts";

const NAMES = {
  account: "Account",
  key: "Key",
  model: "Model",
  upstream: "Upstream",
  status: "Status",
  outcome: "Outcome",
  code: "Code",
  since: "Time",
  from: "From",
  to: "Before",
} as const;

type FilterName = keyof typeof NAMES;

interface FilterInForce {
  readonly name: FilterName;
  readonly title: string;
  readonly value: string;
}

/** The filters of an address in words. */
export function filtersInForce(search: RequestSearch, keyName: (id: string) => string): readonly FilterInForce[] {
  const given = Object.entries(search).filter((pair): pair is [FilterName, string] => pair[0] in NAMES);
  return given.map(([name, text]) => ({ name, title: NAMES[name], value: inWords(name, text, keyName) }));
}

function inWords(name: FilterName, text: string, keyName: (id: string) => string): string {
  if (name === "key") return keyName(text);
  if (name === "since") return SPANS.find(({ value }) => value === text)?.label.toLowerCase() ?? text;
  if (name === "from" || name === "to") return Number.isNaN(Date.parse(text)) ? text : moment(text);
  if (name === "outcome") return text.split(",").map(outcomeWord).join(" or ");
  return text;
}

function outcomeWord(text: string): string {
  return Object.hasOwn(OUTCOME_WORDS, text) ? OUTCOME_WORDS[text as keyof typeof OUTCOME_WORDS] : text;
}
