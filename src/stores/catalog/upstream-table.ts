/** A row of `upstreams`: what an operator has declared, as JSON, and the credential, encrypted by the vault. */
export interface UpstreamTable {
  id: string;
  declared: string;
  credential: string | null;
  created_at_ms: number;
}
