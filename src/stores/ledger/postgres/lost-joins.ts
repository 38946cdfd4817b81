/** What the reply to a call says of the processes that have joined. */
export interface KnownJoins {
  /** When the last of them joined, in seconds. */
  readonly latest_join: number | null;
}

/**
 * Notices that the database has lost the joining of a process: it was restored, or a failover has lost its last transactions. All processes have to
 * state their claims after a start of the database, so it is enough if one of them notices. That the row of a process was deleted, because it has ended,
 * looks the same.
 */
export class LostJoins {
  readonly #latestS = new Map<string, number>();
  readonly #noticing = new Set<string>();

  /** A reply to a call of this process. `isForgotten`: its own joining is lost. */
  replied(instanceId: string, { latest_join: joinedS }: KnownJoins, isForgotten = false): void {
    const latestS = this.#latestS.get(instanceId);
    if (isForgotten || (latestS !== undefined && (joinedS ?? 0) < latestS)) this.#noticing.add(instanceId);
    this.#latestS.set(instanceId, joinedS ?? 0);
  }

  /** Whether this process has noticed it since `forget`. */
  isNoticedBy(instanceId: string): boolean {
    return this.#noticing.has(instanceId);
  }

  forget(instanceId: string): void {
    this.#noticing.delete(instanceId);
  }
}
