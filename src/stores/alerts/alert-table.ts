/** A row of `alerts`: an alert, and the body that is sent. */
export interface AlertTable {
  id: string;
  kind: string;
  at_ms: number;
  body: string;
}

/** A row of `alert_marks`: an alert about a subject that was raised and is not over. */
export interface AlertMarkTable {
  subject: string;
  value: string;
  at_ms: number;
  /** The raised alert, which is resolved when the mark is removed. */
  alert_id: string | null;
  alert_kind: string | null;
}
