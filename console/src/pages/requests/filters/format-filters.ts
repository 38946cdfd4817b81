import { nanosOf } from "../../../parts/format/dollars.ts";
import { count, duration, endpointLabel, exactMoney, moment } from "../../../parts/format/format.ts";
import { OUTCOME_LABELS } from "../format-outcome.ts";
import { SPANS, type RequestSearch } from "./request-search.ts";

const TITLES = {
  account: "Account",
  key: "Key",
  model: "Model",
  user: "End user",
  tag: "Tag",
  conversation: "Conversation",
  endpoint: "Endpoint",
  upstream: "Upstream",
  status: "Status",
  outcome: "Outcome",
  code: "Error code",
  error: "Error text",
  mirror: "Mirror",
  min_cost: "Minimum cost",
  max_cost: "Maximum cost",
  min_duration_ms: "Minimum duration",
  max_duration_ms: "Maximum duration",
  min_tokens: "Minimum tokens",
  max_tokens: "Maximum tokens",
  min_attempts: "Minimum attempts",
  max_attempts: "Maximum attempts",
  since: "Time",
  from: "From",
  to: "Before",
} as const;

/** The filters by the result of the mirror. */
export const MIRROR_CHOICES = [
  { value: "any", label: "Mirrored" },
  { value: "different", label: "Different status or finish reason" },
] as const;

type FilterName = keyof typeof TITLES;

interface ActiveFilter {
  readonly name: FilterName;
  readonly title: string;
  readonly value: string;
}

/** The filters in the URL as labels. */
export function activeFilters(search: RequestSearch, keyName: (id: string) => string): readonly ActiveFilter[] {
  const given = Object.entries(search).filter((pair): pair is [FilterName, string] => pair[0] in TITLES);
  return given.map(([name, text]) => ({ name, title: TITLES[name], value: formatValue(name, text, keyName) }));
}

function formatValue(name: FilterName, text: string, keyName: (id: string) => string): string {
  if (name === "key") return keyName(text);
  if (name === "since") return SPANS.find(({ value }) => value === text)?.label.toLowerCase() ?? text;
  if (name === "from" || name === "to") return Number.isNaN(Date.parse(text)) ? text : moment(text);
  if (name.endsWith("_cost")) return nanosOf(text) === undefined ? text : exactMoney(text);
  if (/_(duration_ms|tokens|attempts)$/.test(name) && /^\d{1,15}$/.test(text))
    return name.endsWith("_ms") ? duration(Number(text)) : count(Number(text));
  if (name === "endpoint") return endpointLabel(text);
  if (name === "outcome") return formatOutcomes(text);
  if (name === "mirror") return MIRROR_CHOICES.find(({ value }) => value === text)?.label.toLowerCase() ?? text;
  return text;
}

/** `refused,failed` as "rejected or failed". */
export function formatOutcomes(text: string): string {
  return text.split(",").map(formatOutcome).join(" or ");
}

function formatOutcome(text: string): string {
  return Object.hasOwn(OUTCOME_LABELS, text) ? OUTCOME_LABELS[text as keyof typeof OUTCOME_LABELS] : text;
}
