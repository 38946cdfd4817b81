import type { IdentityState } from "./upstream-health.ts";

/** The result of a connection test of an upstream. */
export interface ConnectionTest {
  readonly ok: boolean;
  /** What was checked, for the operator: not every upstream has a list of models. */
  readonly checked: string;
  /** Of its answer; null where there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** How many models it lists; null where it lists none. */
  readonly models: number | null;
  /** The upstream's own names for the first of them. They may carry anything but our credential. */
  readonly names: readonly string[];
  /** For each of the names, the id that callers would use: a short one where the name is the path of a file. */
  readonly ids: readonly string[];
  /** Why it is not ok, for the operator. It may carry the upstream's words, and never our credential. */
  readonly problem: string | null;
  /** Of its identity, which is checked first; undefined where it has none. */
  readonly identity: IdentityState | undefined;
}
