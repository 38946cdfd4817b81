import { editsBetween } from "../lib/text/nearest-word.ts";

/** Commands of other gateways, and one or two words that people are likely to try first. */
const COMMAND_SYNONYMS: Readonly<Record<string, string>> = {
  "alerts ack": "alerts acknowledge",
  balance: "accounts show",
  cost: "usage",
  costs: "usage",
  "keys add": "keys create",
  "keys delete": "keys revoke",
  "keys generate": "keys create",
  "keys limit": "keys update",
  "keys regenerate": "keys rotate",
  "keys remove": "keys revoke",
  dump: "backup",
  ledger: "audit",
  "models add": "models create",
  "models delete": "models retire",
  "models remove": "models retire",
  "people add": "people invite",
  "people delete": "people disable",
  "people remove": "people disable",
  retire: "models retire",
  spend: "usage",
  teams: "accounts list",
  "upstreams add": "upstreams create",
  "upstreams delete": "upstreams remove",
  users: "people list",
  verify: "audit",
  "webhooks add": "webhooks create",
  "webhooks delete": "webhooks remove",
};

/** Options under the names that LiteLLM and other tools use. */
const OPTION_SYNONYMS: Readonly<Record<string, string>> = {
  budget: "monthly-cap",
  cache: "cache-ttl",
  duration: "expires",
  fallback: "route",
  fallbacks: "route",
  from: "since",
  "group-by": "by",
  last: "since",
  "max-budget": "total-cap",
  "max-parallel-requests": "concurrent",
  rpm: "requests-per-minute",
  "rpm-limit": "requests-per-minute",
  sort: "order",
  "spend-cap": "monthly-cap",
  to: "until",
  tpm: "tokens-per-minute",
  "tpm-limit": "tokens-per-minute",
  ttl: "cache-ttl",
  until: "to",
};

const MAX_EDITS = 2;

/** The command line that was probably meant, such as `keys list` for `key list`. */
export function suggestCommand(args: readonly string[], names: readonly string[]): string | undefined {
  const [first = "", ...rest] = args;
  const synonym = [args.slice(0, 2).join(" "), first].find((words) => Object.hasOwn(COMMAND_SYNONYMS, words));
  if (synonym !== undefined) return COMMAND_SYNONYMS[synonym];
  const near = nearest(names, (name) => editsBetween(args.slice(0, name.split(" ").length).join(" "), name));
  if (near !== undefined) return near;
  // The only command of a group: `import FILE` is `import litellm FILE`.
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0) return group.length === 1 ? [...group, ...rest].join(" ") : undefined;
  // A verb of one group only: `retire` is `models retire`.
  const withVerb = names.filter((name) => name.endsWith(` ${first}`));
  return withVerb.length === 1 ? withVerb[0] : undefined;
}

/** The option that was probably meant: by another tool's name, abbreviated, or with a typing error. */
export function suggestOption(given: string, names: readonly string[]): string | undefined {
  const synonym = Object.hasOwn(OPTION_SYNONYMS, given) ? OPTION_SYNONYMS[given] : undefined;
  if (synonym !== undefined && names.includes(synonym)) return synonym;
  const longer = names.filter((name) => name.startsWith(`${given}-`));
  return longer.length === 1 ? longer[0] : nearest(names, (name) => editsBetween(given, name));
}

function nearest(names: readonly string[], edits: (name: string) => number): string | undefined {
  const [near] = names.toSorted((one, other) => edits(one) - edits(other));
  // In a short name two typing errors would match almost anything.
  return near !== undefined && edits(near) <= Math.min(MAX_EDITS, Math.ceil(near.length / 3)) ? near : undefined;
}
