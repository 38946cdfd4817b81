/** The contents of a backup in addition to the database. */
export interface BackupOptions {
  /** Whether it contains the secret that keys are hashed with. If not, a restore needs the secret from elsewhere. */
  readonly hasHashSecret: boolean;
  /** Whether it contains the secret that decrypts the credentials of upstreams and the secrets of webhooks. */
  readonly hasCredentials: boolean;
  readonly hasRequestLog: boolean;
  readonly nowMs: number;
}
