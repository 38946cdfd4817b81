import type { Differences } from "../outcome.ts";

/** The outcome of a kind of request that differs between the two gateways. */
export interface Difference {
  /** The rows of docs/migrating-from-litellm.md, "What differs for callers", that give the reason, named by their first cell. */
  readonly rows: readonly [string, ...string[]];
  /** The differing fields: Tollgate's value, LiteLLM's value. */
  readonly fields: Differences;
}

/** Tollgate rejects a field. LiteLLM sends it to the upstream, which answers. */
export function rejectedField(code: string, param: string): Differences {
  return {
    status: [400, 200],
    "error.type": ["invalid_request_error", null],
    "error.code": [code, null],
    "error.param": [param, null],
    calls: [0, 1],
  };
}
