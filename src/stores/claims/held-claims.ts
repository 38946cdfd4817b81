/** A request of this process that has asked for a claim, or has it. */
export interface HeldClaim {
  readonly scope: string;
  /** Of its body. */
  readonly digest: string;
  readonly requestId: string;
  isGranted: boolean;
}

/** The columns of a list of claims, as parameters of `unnest`. */
type ClaimColumns = [scopes: string[], requestIds: string[], digests: string[]];

/** The claims of a process, as it knows them. Whatever else the database has under its id has ended. */
export class HeldClaims {
  readonly #held = new Map<string, HeldClaim>();

  add(claim: HeldClaim): void {
    this.#held.set(claimKey(claim.scope, claim.requestId), claim);
  }

  /** Whether it was there. */
  delete({ scope, requestId }: HeldClaim): boolean {
    return this.#held.delete(claimKey(scope, requestId));
  }

  has(scope: string, requestId: string): boolean {
    return this.#held.has(claimKey(scope, requestId));
  }

  granted(): ClaimColumns {
    const held = [...this.#held.values()].filter(({ isGranted }) => isGranted);
    return [held.map(({ scope }) => scope), held.map(({ requestId }) => requestId), held.map(({ digest }) => digest)];
  }
}

/** A request id has no spaces. */
export function claimKey(scope: string, requestId: string): string {
  return `${requestId} ${scope}`;
}
