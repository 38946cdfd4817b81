/** A row of `key_uses`: when a key last made an authenticated request. */
export interface KeyUseTable {
  key_id: string;
  last_used_at_ms: number;
}

/** A row of `model_uses`: when a request of a key was last admitted for a model, and how many were. */
export interface ModelUseTable {
  model: string;
  key_id: string;
  last_used_at_ms: number;
  requests: number;
}
