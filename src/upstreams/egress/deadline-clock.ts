/** Something that can be over, and looks whether it is. */
export interface Timed {
  look(nowMs: number): void;
}

/** How late it may be noticed that a deadline has passed, or that a caller has left. It is never early. */
const TICK_MS = 25;

const timed = new Set<Timed>();
let ticking: Timer | undefined;

/**
 * One timer for all calls that are under way: setting, moving and meeting a deadline is writing a number, and nobody listens to
 * the signal of each caller. Timers and listeners of their own cost more than reading an answer.
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
