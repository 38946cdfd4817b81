/** The information about joined processes in a reply of the database. */
export interface KnownJoins {
  /** The time when the last process joined, in seconds. */
  readonly latest_join: number | null;
}

/**
 * Detects that the database has lost the transaction by which a process joined: it was restored, or a failover has lost its last
 * transactions. After a start of the database all processes have to state their claims, so it is enough if one process detects the loss.
 * The deletion of an ended process's row looks the same.
 */
export class LostJoins {
  readonly #latestS = new Map<string, number>();
  readonly #noticing = new Set<string>();

  /** Checks the reply to a call of this process. `isForgotten`: the database has lost the joining of this process. */
  replied(instanceId: string, { latest_join: joinedS }: KnownJoins, isForgotten = false): void {
    const latestS = this.#latestS.get(instanceId);
    if (isForgotten || (latestS !== undefined && (joinedS ?? 0) < latestS)) this.#noticing.add(instanceId);
    this.#latestS.set(instanceId, joinedS ?? 0);
  }

  /** Whether this process has detected a lost joining since `forget`. */
  isNoticedBy(instanceId: string): boolean {
    return this.#noticing.has(instanceId);
  }

  forget(instanceId: string): void {
    this.#noticing.delete(instanceId);
  }
}
