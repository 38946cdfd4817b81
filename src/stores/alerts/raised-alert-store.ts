import type { Change } from "../../access/change.ts";
import type { AboutWhat, Acknowledgement, AlertState, RaisedAlert } from "../../alerts/raised-alert.ts";

/** Which alerts to list; undefined fields are not filtered by. */
export interface AlertFilter extends Partial<Readonly<Record<keyof AboutWhat, string | undefined>>> {
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
  /** Acknowledges an alert, with its entry in the audit log. Of two at the same time the first counts. Throws `StorageUnavailable`. */
  acknowledge(id: string, by: Acknowledgement, change: Change): Promise<void>;
}
