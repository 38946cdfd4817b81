/** An origin: a server as identified by its base URL (RFC 6454). */
export interface Origin {
  readonly isEncrypted: boolean;
  readonly hostname: string;
  readonly port: number;
}
