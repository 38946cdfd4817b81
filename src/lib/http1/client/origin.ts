/** A server as its base URL identifies it (RFC 6454). */
export interface Origin {
  readonly isEncrypted: boolean;
  readonly hostname: string;
  readonly port: number;
}
