import type { IdentityState } from "./upstream-health.ts";

/** The result of a connection test of an upstream. */
export interface ConnectionTest {
  readonly ok: boolean;
  /** The check that was made, for the operator: some upstreams have no list of models. */
  readonly checked: string;
  /** The HTTP status of the response; null if there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The number of models that it lists; null if it has no list. */
  readonly models: number | null;
  /** The upstream's own names for the first models. They may contain any text except Tollgate's credential. */
  readonly names: readonly string[];
  /** For each name, the ID that callers would use: a short ID if the name is the path of a file. */
  readonly ids: readonly string[];
  /** Why it is not ok, for the operator. It may quote the upstream, but never contains Tollgate's credential. */
  readonly problem: string | null;
  /** The state of its identity, which is checked first; undefined if it has none. */
  readonly identity: IdentityState | undefined;
}
