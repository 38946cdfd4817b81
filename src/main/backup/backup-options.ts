/** What a backup has beside the database. */
export interface BackupOptions {
  /** The secret that keys are hashed with. Without it, a restore needs it from elsewhere. */
  readonly hasHashSecret: boolean;
  /** The secret that decrypts the credentials of upstreams and the secrets of webhooks. */
  readonly hasCredentials: boolean;
  readonly hasRequestLog: boolean;
  readonly nowMs: number;
}
