/** A discrepancy between the ledger and the auditor. */
export interface Discrepancy {
  /** The entry, request, account or key, as text. */
  readonly where: string;
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  readonly entry: number | null;
  readonly request_id: string | null;
  readonly account: string | null;
  readonly key: string | null;
}

/** The subject of a discrepancy, as far as it is known. */
interface Place {
  readonly entry?: number;
  readonly requestId?: string;
  readonly accountId?: string;
  readonly keyId?: string;
}

/** The maximum number of reported discrepancies. A thoroughly broken ledger would otherwise fill the memory. */
const MAX_REPORTED = 1000;

/** Collects discrepancies: the first ones in full, and their total number. */
export class Discrepancies {
  readonly reported: Discrepancy[] = [];
  count = 0;

  add(place: Place, what: string, expected: string, found: string): void {
    this.count++;
    if (this.reported.length >= MAX_REPORTED) return;
    const { entry = null, requestId = null, accountId = null, keyId = null } = place;
    this.reported.push({ where: inWords(place), what, expected, found, entry, request_id: requestId, account: accountId, key: keyId });
  }
}

function inWords({ entry, requestId, accountId, keyId }: Place): string {
  return [
    entry === undefined ? [] : `entry ${entry}`,
    requestId === undefined ? [] : `request ${requestId}`,
    accountId === undefined ? [] : `account ${accountId}`,
    keyId === undefined ? [] : `key ${keyId}`,
  ]
    .flat()
    .join(", ");
}

/** Exact dollars with at least two decimals. The auditor has its own formatter, like all of its arithmetic. */
export function inDollars(nanos: bigint): string {
  const [sign, size] = nanos < 0n ? ["-", -nanos] : ["", nanos];
  const rest = String(size % 1_000_000_000n).padStart(9, "0");
  return `${sign}$${size / 1_000_000_000n}.${rest.slice(0, 2)}${rest.slice(2).replace(/0+$/, "")}`;
}
