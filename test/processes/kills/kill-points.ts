import { seededRandom } from "../../streams/seeded-stream.ts";

/**
 * The kills, all with kill -9:
 * - `gateway`, `owner`, `both` (the owner and a gateway process) and `all`, under load;
 * - `starting_gateway`: a gateway process, and then the new process that replaces it;
 * - `starting_owner`: the owner, and then the next one, at any point of its start;
 * - `waiting_owner`: the owner, while it cannot write to the database, and gateway processes wait for its replies;
 * - `recovering_owner`: a gateway process, and then the owner, which applies its journal;
 * - `starting_all`: everything, and then everything again during the next start.
 */
export const KILL_KINDS = [
  "gateway",
  "owner",
  "both",
  "all",
  "starting_gateway",
  "starting_owner",
  "waiting_owner",
  "recovering_owner",
  "starting_all",
] as const;
export type KillKind = (typeof KILL_KINDS)[number];

export interface KillPoint {
  readonly kind: KillKind;
  /** The time since all processes were ready. */
  readonly afterMs: number;
  /** The time between the first and the second kill, or how long the owner waits. */
  readonly thenMs: number;
  /** Selects the gateway process: from 0 up to 1. */
  readonly which: number;
  /** How long the owner stays down. */
  readonly awayMs: number;
}

/** Most kills happen while many requests have just started. */
const UNDER_LOAD_MS = 400;
/** The progress of streams is written once a second: some processes must live long enough for that. */
const LATE_MS = { from: 1000, to: 2500 };
/** A journal is applied within a few milliseconds. */
const RECOVERING_MS = 40;
/** A start takes about three hundred milliseconds, so these kills happen at any time of a start. */
const STARTING_MS = 500;
const AWAY_MS = 300;
const LONG_AWAY_MS = 2500;

/** Every kind occurs equally often, in a random order. */
export function killPoints(seed: string, count: number): KillPoint[] {
  const random = seededRandom(`kills of processes ${seed}`);
  let kinds: KillKind[] = [];
  return Array.from({ length: count }, (): KillPoint => {
    if (kinds.length === 0) kinds = [...KILL_KINDS];
    const kind = kinds.splice(Math.floor(random() * kinds.length), 1)[0]!;
    const isLate = random() < 0.2;
    const isLongAway = random() < 0.15;
    return {
      kind,
      afterMs: isLate ? LATE_MS.from + random() * (LATE_MS.to - LATE_MS.from) : random() * UNDER_LOAD_MS,
      thenMs: random() * (kind === "recovering_owner" ? RECOVERING_MS : STARTING_MS),
      which: random(),
      awayMs: random() * (isLongAway ? LONG_AWAY_MS : AWAY_MS),
    };
  });
}
