import type { Outcome } from "../../../requests/logged-request.ts";

/** The names that earlier versions wrote for some outcomes. Their day files are read as they are: rewriting one could take minutes. */
const EARLIER_NAMES = { given_again: "replayed", explained: "dry_run", left: "client_closed" } as const satisfies Record<string, Outcome>;

/** An outcome as a day file of any version stores it. */
export type StoredOutcome = Outcome | keyof typeof EARLIER_NAMES;

export function readOutcome(stored: StoredOutcome): Outcome {
  return stored in EARLIER_NAMES ? EARLIER_NAMES[stored as keyof typeof EARLIER_NAMES] : (stored as Outcome);
}

/** Every name under which these outcomes may be stored. */
export function storedNamesOf(outcomes: readonly Outcome[]): StoredOutcome[] {
  const earlier = (Object.keys(EARLIER_NAMES) as (keyof typeof EARLIER_NAMES)[]).filter((name) => outcomes.includes(EARLIER_NAMES[name]));
  return [...outcomes, ...earlier];
}
