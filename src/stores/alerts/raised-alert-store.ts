import type { Change } from "../../access/change.ts";
import type { AlertSubject, Acknowledgement, AlertState, RaisedAlert } from "../../alerts/raised-alert.ts";

/** Which alerts to list. An undefined field matches all. */
export interface AlertFilter extends Partial<Readonly<Record<keyof AlertSubject, string | undefined>>> {
  readonly state?: AlertState | undefined;
  readonly kind?: string | undefined;
}

/** The position of an alert in the list. */
export interface AlertPosition {
  readonly atMs: number;
  readonly id: string;
}

/** The list of raised alerts. `AlertStore` adds them, and resolves them. */
export interface RaisedAlertStore {
  find(id: string): Promise<RaisedAlert | undefined>;
  /** Alerts after this position, newest first. */
  list(filter: AlertFilter, after: AlertPosition | undefined, limit: number): Promise<readonly RaisedAlert[]>;
  /** The number of open alerts. */
  countOpen(): Promise<number>;
  /**
   * Acknowledges an alert, with an entry in the audit log. If two calls acknowledge the same alert, the first one counts. Throws
   * `StorageUnavailable`.
   */
  acknowledge(id: string, by: Acknowledgement, change: Change): Promise<void>;
}
