import { seededRandom } from "../streams/seeded-stream.ts";

/** When a gateway is killed: this long after its start, ready or not, or this long after it was ready. */
export interface KillPoint {
  readonly after: "start" | "ready";
  readonly ms: number;
}

/** A start takes about two hundred milliseconds, so these kills happen at any time of a start. */
const STARTING_MS = 250;
/** Most kills happen while many requests have just started. */
const UNDER_LOAD_MS = 400;
/** The progress of streams is written once a second: some gateways must live long enough for that. */
const LATE_MS = { from: 1000, to: 2000 };

export function killPoints(seed: string, count: number): KillPoint[] {
  const random = seededRandom(`kills ${seed}`);
  return Array.from({ length: count }, (): KillPoint => {
    const kind = random();
    const within = random();
    if (kind < 0.14) return { after: "start", ms: within * STARTING_MS };
    if (kind < 0.22) return { after: "ready", ms: 0 };
    if (kind < 0.33) return { after: "ready", ms: LATE_MS.from + within * (LATE_MS.to - LATE_MS.from) };
    return { after: "ready", ms: within * UNDER_LOAD_MS };
  });
}
