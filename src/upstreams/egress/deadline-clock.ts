/** Something with a deadline, checked at each tick. */
export interface Timed {
  look(nowMs: number): void;
}

/** The delay with which a passed deadline or a disconnected client is noticed, at most. It is never early. */
const TICK_MS = 25;

const timed = new Set<Timed>();
let ticking: Timer | undefined;

/**
 * One timer for all calls in flight: setting, moving and clearing a deadline is writing a number, without a timer or an abort
 * listener for each call.
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
  for (const each of timed) each.look(nowMs);
  if (timed.size > 0) return;
  clearInterval(ticking);
  ticking = undefined;
}
