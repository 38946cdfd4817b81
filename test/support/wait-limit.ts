/** The time limit of a test or a hook. `npm run test:long` allows twelve times as much. */
export const TEST_LIMIT_MS = 300_000;

/**
 * How long a test waits for a condition before it fails. It only determines when a broken feature is reported: a shared machine stalls for
 * ten seconds at a time, and no test asserts how fast something is (`bench/` measures that). It is below `TEST_LIMIT_MS`, so that the
 * failure names the condition.
 */
export const WAIT_LIMIT_MS = 120_000;
