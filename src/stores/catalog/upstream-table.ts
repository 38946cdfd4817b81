/** A row of `upstreams`: what an operator has declared, as JSON, and the credential and the secrets of the identity, encrypted by the vault. */
export interface UpstreamTable {
  id: string;
  declared: string;
  credential: string | null;
  identity: string | null;
  created_at_ms: number;
}
