/** Something that has deadlines, and is told to look at them. */
export interface Timed {
  /** Its next deadline. */
  readonly nextAtMs: number;
  passed(nowMs: number): void;
}

/** How late a deadline may be noticed. It is never early. */
const TICK_MS = 40;

const timed = new Set<Timed>();
let ticking: Timer | undefined;

/**
 * One timer for the deadlines of all calls: setting, moving and meeting one is writing a number, where a timer of its own for
 * each would cost more than reading its answer. While there is a call under way, it also keeps the process from ending.
 */
export function watch(each: Timed): void {
  timed.add(each);
  ticking ??= setInterval(tick, TICK_MS);
}

export function unwatch(each: Timed): void {
  timed.delete(each);
}

function tick(): void {
  const nowMs = performance.now();
  for (const each of timed) if (each.nextAtMs <= nowMs) each.passed(nowMs);
  if (timed.size > 0) return;
  clearInterval(ticking);
  ticking = undefined;
}
