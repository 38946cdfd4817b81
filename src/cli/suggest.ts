import { editsBetween } from "../lib/text/nearest-word.ts";

/** Commands of other gateways, and words that people try first. */
const COMMAND_SYNONYMS: Readonly<Record<string, string>> = {
  cost: "usage",
  costs: "usage",
  spend: "usage",
  verify: "audit",
};

/** Options under the names that LiteLLM and other tools use. */
const OPTION_SYNONYMS: Readonly<Record<string, string>> = {
  budget: "monthly-cap",
  "group-by": "by",
  "max-budget": "total-cap",
  "max-parallel-requests": "concurrent",
  rpm: "requests-per-minute",
  sort: "order",
  tpm: "tokens-per-minute",
  ttl: "cache-ttl",
};

const MAX_EDITS = 2;

/** The command line that was probably meant, such as `keys list` for `key list`. */
export function suggestCommand(args: readonly string[], names: readonly string[]): string | undefined {
  const [first = "", ...rest] = args;
  if (Object.hasOwn(COMMAND_SYNONYMS, first)) return COMMAND_SYNONYMS[first];
  const near = nearest(names, (name) => editsBetween(args.slice(0, name.split(" ").length).join(" "), name));
  if (near !== undefined) return near;
  // The only command of a group: `import FILE` is `import litellm FILE`.
  const group = names.filter((name) => name.startsWith(`${first} `));
  return group.length === 1 ? [...group, ...rest].join(" ") : undefined;
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
