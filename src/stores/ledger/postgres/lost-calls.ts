/** When the database noted a call of a process, in seconds, and when the one before it; null where it does not know the process. */
export interface NotedCall {
  readonly seen_before: number | null;
  readonly seen_at: number;
}

/**
 * Notices that the database has lost calls that it had noted: it was restored, or a failover has lost its last transactions. Those of other processes
 * at that time are lost with them.
 */
export class LostCalls {
  readonly #lastS = new Map<string, number>();
  readonly #losers = new Set<string>();

  noted(instanceId: string, { seen_before: beforeS, seen_at: atS }: NotedCall): void {
    const lastS = this.#lastS.get(instanceId);
    if (lastS !== undefined && (beforeS === null || beforeS < lastS)) this.#losers.add(instanceId);
    this.#lastS.set(instanceId, atS);
  }

  /** Whether calls of this process were lost since `forget`. */
  has(instanceId: string): boolean {
    return this.#losers.has(instanceId);
  }

  forget(instanceId: string): void {
    this.#losers.delete(instanceId);
  }
}
