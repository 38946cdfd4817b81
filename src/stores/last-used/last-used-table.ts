/** A row of `key_uses`: when a key last made a request that was its own to make. */
export interface KeyUseTable {
  key_id: string;
  last_used_at_ms: number;
}

/** A row of `model_uses`: when a key was last let through to a model, and how often it has been. */
export interface ModelUseTable {
  model: string;
  key_id: string;
  last_used_at_ms: number;
  requests: number;
}
