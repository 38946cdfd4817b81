/**
 * The code of a start is run once. To compile it would take 6 MB that nobody gives back, so it is interpreted: what imports this first
 * has all that it imports later interpreted too.
 */
const SLOWER_TO_COMPILE = 100;
const AFTER_START_MS = 1000;

Bun.unsafe.setJITPolicy(SLOWER_TO_COMPILE);

/** Soon, when a start is over, code that is run often is compiled. */
export function compileSoon(): void {
  setTimeout(() => Bun.unsafe.setJITPolicy(1), AFTER_START_MS).unref();
}
