/** A row of `upstreams`: an operator's declaration, as JSON, and the credential and the identity's secrets, encrypted by the vault. */
export interface UpstreamTable {
  id: string;
  declared: string;
  credential: string | null;
  identity: string | null;
  created_at_ms: number;
}
