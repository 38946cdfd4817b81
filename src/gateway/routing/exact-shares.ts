import type { Route } from "../../models/catalog.ts";

/** The choices among one set of ready routes. */
interface Round {
  choices: number;
  readonly counts: number[];
}

/** More sets of ready routes than a model has in practice. Each starts again after that. */
const MAX_ROUNDS = 100;

/** The rounds of each model, by its ready routes. They start again when the routes of the model change. */
const rounds = new WeakMap<readonly Route[], Map<string, Round>>();

/**
 * The next of these routes by their weights, exactly: after any number of choices among the same routes, none has received a whole request more or
 * less than its share. Earliest deadline first: the k-th request of a route with the share p comes between its choices ⌊(k-1)/p⌋ and ⌈k/p⌉.
 * `isCounted` is false in a dry run. Returns the position in `ready`.
 */
export function nextByShare(all: readonly Route[], ready: readonly Route[], isCounted: boolean): number {
  const round = roundOf(all, ready);
  const total = ready.reduce((sum, { weight }) => sum + weight, 0);
  let chosen = 0;
  let earliest = Number.POSITIVE_INFINITY;
  ready.forEach(({ weight }, at) => {
    const count = round.counts[at]!;
    const isDue = count * total < (round.choices + 1) * weight;
    const deadline = Math.ceil(((count + 1) * total) / weight);
    if (isDue && deadline < earliest) [chosen, earliest] = [at, deadline];
  });
  if (isCounted) take(round, chosen, total);
  return chosen;
}

function take(round: Round, chosen: number, total: number): void {
  round.counts[chosen]!++;
  round.choices++;
  if (round.choices < total) return;
  // Every route has had its whole share.
  round.choices = 0;
  round.counts.fill(0);
}

function roundOf(all: readonly Route[], ready: readonly Route[]): Round {
  let ofModel = rounds.get(all);
  if (!ofModel) rounds.set(all, (ofModel = new Map()));
  const name = ready.map((route) => all.indexOf(route)).join();
  let round = ofModel.get(name);
  if (!round) {
    if (ofModel.size >= MAX_ROUNDS) ofModel.clear();
    ofModel.set(name, (round = { choices: 0, counts: ready.map(() => 0) }));
  }
  return round;
}
