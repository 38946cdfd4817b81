/**
 * Startup code runs once. Compiling it would take 6 MB that are never freed, so it is interpreted: everything that is imported after this
 * module is interpreted too.
 */
const SLOWER_TO_COMPILE = 100;
const AFTER_START_MS = 1000;

Bun.unsafe.setJITPolicy(SLOWER_TO_COMPILE);

/** Turns the JIT compiler on after the start. */
export function compileSoon(): void {
  setTimeout(() => Bun.unsafe.setJITPolicy(1), AFTER_START_MS).unref();
}
