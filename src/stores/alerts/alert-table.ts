/** A row of `alerts`: what has come up, and the text that is sent of it. */
export interface AlertTable {
  id: string;
  kind: string;
  at_ms: number;
  body: string;
}

/** A row of `alert_marks`: that something was told of a subject, and is not over. */
export interface AlertMarkTable {
  subject: string;
  value: string;
  at_ms: number;
}
