import type { Differences } from "../outcome.ts";

/** The outcome of a kind of request that is not the same at both gateways. */
export interface Difference {
  /** The rows of docs/migrating-from-litellm.md, "What differs for callers", that give the reason, by their first cell. */
  readonly rows: readonly [string, ...string[]];
  /** What differs: Tollgate's, LiteLLM's. */
  readonly fields: Differences;
}

/** Tollgate rejects a field, and LiteLLM sends it to the upstream, which answers. */
export function rejectedField(code: string, param: string): Differences {
  return {
    status: [400, 200],
    "error.type": ["invalid_request_error", null],
    "error.code": [code, null],
    "error.param": [param, null],
    calls: [0, 1],
  };
}
