import type { Nanos } from "../../money/money.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import type { Purse, Shortfall } from "../../money/headroom.ts";

/** Which money of an account or a key had too little left for a request, and how much that was at the last one. */
export type Refused = ReadonlyMap<Purse["what"], Nanos>;

export const NOTHING_REFUSED: Refused = new Map();

/** Whose it is, and what it was refused for. */
export interface RefusedSpender {
  readonly scope: Purse["scope"];
  readonly id: string;
  readonly refused: Refused;
}

/** Requests that were refused for want of money since the last look. There is one note for each key and account, however many they are. */
export class Refusals {
  #spenders = new Map<string, RefusedSpender & { readonly refused: Map<Purse["what"], Nanos> }>();

  /** On the path of requests: it takes note, if there is anything to note. */
  note({ notes: { shortfall, keyId, accountId } }: EndedRequest): void {
    if (shortfall) this.#add(shortfall, shortfall.scope === "key" ? keyId! : accountId!);
  }

  /** What came since this was last asked. */
  take(): readonly RefusedSpender[] {
    const taken = [...this.#spenders.values()];
    this.#spenders = new Map();
    return taken;
  }

  #add({ scope, what, leftNanos }: Shortfall, id: string): void {
    const name = `${scope} ${id}`;
    let spender = this.#spenders.get(name);
    if (!spender) this.#spenders.set(name, (spender = { scope, id, refused: new Map() }));
    spender.refused.set(what, leftNanos);
  }
}
