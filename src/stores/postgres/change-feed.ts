import type { ChangedRecords, RecordCache, RecordKind, RecordReader } from "../database.ts";
import { ConnectionReader } from "./connection-reader.ts";
import type { PostgresConnection, PostgresPool } from "./postgres-pool.ts";
import { messageOf } from "../../lib/text/message-of.ts";

const CHANNEL = "tollgate_feed";
/** How often the feed is read without a notice: a notice may be lost, with its connection or behind a connection pooler. */
const POLL_MS = 1000;
/** If more records than this have changed, all records are read again: a statement has 65,535 parameters at most. */
const MAX_IDS = 10_000;
/**
 * The number of changes that stay in the feed, far more than a process misses between two reads. A process that has missed more reads all
 * records again.
 */
const KEPT_CHANGES = 10_000n;

/**
 * A position in the feed. If two changes of the same version have different nonces, one of them was lost when the database was restored.
 */
interface Position {
  readonly version: bigint;
  readonly nonce: bigint;
}

interface FeedRow extends Position {
  readonly kind: RecordKind;
  readonly ids: string;
}

const START: Position = { version: 0n, nonce: 0n };

export interface FeedOptions {
  readonly pool: PostgresPool;
  readonly monotonicMs: () => number;
  /** Called when the feed cannot be read, and with undefined when it can be read again. */
  readonly report: (failure: string | undefined) => void;
}

/**
 * The changes of records that processes have in memory, in the order of their commits. Each process reads the changed records that it has
 * not seen, when it is notified and once a second.
 */
export class ChangeFeed {
  readonly #options: FeedOptions;
  readonly #caches = new Map<RecordKind, RecordCache>();
  #seen: Position = START;
  #currentAtMs: number | undefined;
  #timer: Timer | undefined;
  /** The last queued work on the copies in memory. */
  #last: Promise<unknown> = Promise.resolve();
  /** A refresh that has not started. */
  #queued: Promise<void> | undefined;
  #isStopped = false;
  #failure: string | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Reads a copy for the first time, and follows its changes from then on. */
  register(kind: RecordKind, cache: RecordCache): Promise<void> {
    return this.#readInTurn(async (connection) => {
      await cache.reload("all", new ConnectionReader(connection));
      this.#caches.set(kind, cache);
    });
  }

  /** The time, on the monotonic clock, up to which all changes are known; undefined before the first read. */
  get currentAtMs(): number | undefined {
    return this.#currentAtMs;
  }

  /** Reads the position of a database that the caller is about to read as a whole: changes after this position are read again. */
  async begin(): Promise<void> {
    this.#seen = await readHead(this.#options.pool);
  }

  /** Starts reading the feed. */
  async start(): Promise<void> {
    await this.#options.pool.listen(
      CHANNEL,
      () => void this.refresh().catch(() => undefined),
      () => void this.refresh().catch(() => undefined),
    );
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Reads the changes until now. Concurrent callers share a query that starts after they have called. */
  refresh(): Promise<void> {
    this.#queued ??= this.#refresh();
    return this.#queued;
  }

  /**
   * Runs work on the copies in memory, one at a time. Otherwise a record that was read before a change of this process and applied after it
   * would stay outdated.
   */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = this.#last.then(work);
    this.#last = working.catch(() => undefined);
    return working;
  }

  /** Waits for exclusive work. Returns the function that ends it. */
  async enter(): Promise<() => void> {
    const entered = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    void this.exclusive(() => {
      entered.resolve();
      return left.promise;
    });
    await entered.promise;
    return left.resolve;
  }

  /** Locks the feed until the end of the transaction. */
  lock(connection: PostgresConnection): Promise<Position> {
    return readHead(connection, "for update");
  }

  /** Call this in exclusive work, with the feed locked: reads the changes until its head, after which there are no more. */
  async catchUp(head: Position, connection: PostgresConnection): Promise<void> {
    if (head.version !== this.#seen.version || head.nonce !== this.#seen.nonce) await this.#read(connection);
  }

  /** Records changes in the open transaction. The other processes are notified at its commit. */
  async append(connection: PostgresConnection, { version }: Position, changes: readonly ChangedRecords[]): Promise<Position> {
    const rows = changes.map(({ kind, ids }, index) => [version + BigInt(index) + 1n, randomNonce(), kind, JSON.stringify(ids)] as const);
    const [lastVersion, lastNonce] = rows.at(-1)!;
    await Promise.all([
      connection.query("update feed_head set version = $1, nonce = $2", [lastVersion, lastNonce]),
      ...rows.map((row) => connection.query("insert into feed (version, nonce, kind, ids) values ($1, $2, $3, $4)", row)),
      connection.query("delete from feed where version <= $1", [lastVersion - KEPT_CHANGES]),
      connection.query("select pg_notify($1, $2)", [CHANNEL, String(lastVersion)]),
    ]);
    return { version: lastVersion, nonce: lastNonce };
  }

  /** A change of this process is committed and in force here. */
  advance(position: Position): void {
    this.#seen = position;
  }

  #report(failure: string | undefined): void {
    if ((failure === undefined) !== (this.#failure === undefined)) this.#options.report(failure);
    this.#failure = failure;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.refresh().catch(() => undefined), POLL_MS);
  }

  /**
   * Takes the connection first. Exclusive work must not wait for a connection, because a change waits for its turn while it has the feed
   * locked.
   */
  #readInTurn(work: (connection: PostgresConnection) => Promise<void>): Promise<void> {
    return this.#options.pool.use((connection) => this.exclusive(() => work(connection)));
  }

  async #refresh(): Promise<void> {
    try {
      await this.#readInTurn(async (connection) => {
        this.#queued = undefined;
        const sentAtMs = this.#options.monotonicMs();
        await this.#read(connection);
        this.#currentAtMs = sentAtMs;
      });
      this.#report(undefined);
    } catch (error) {
      this.#queued = undefined;
      this.#report(messageOf(error));
      throw error;
    } finally {
      this.#schedule();
    }
  }

  async #read(connection: PostgresConnection): Promise<void> {
    const seen = this.#seen;
    // Includes the last row that was seen: if it is missing or different, the database was restored, or rows were pruned before they were
    // read.
    const rows = await connection.query<FeedRow>("select version, nonce, kind, ids from feed where version >= $1 order by version", [
      seen.version,
    ]);
    const [first, ...others] = rows;
    const isNew = seen.version === 0n;
    const isComplete = isNew ? (first?.version ?? 1n) === 1n : first?.version === seen.version && first.nonce === seen.nonce;
    if (!isComplete) return this.#reloadAll(connection);
    const fresh = isNew ? rows : others;
    if (fresh.length === 0) return;
    await this.#reload(fresh, new ConnectionReader(connection));
    this.#seen = fresh.at(-1)!;
  }

  async #reload(rows: readonly FeedRow[], reader: RecordReader): Promise<void> {
    const ids = new Map<RecordKind, Set<string>>();
    for (const { kind, ids: json } of rows) {
      const known = ids.get(kind) ?? new Set();
      for (const id of JSON.parse(json) as string[]) known.add(id);
      ids.set(kind, known);
    }
    for (const [kind, { size }] of ids) {
      if (size > 0) await this.#caches.get(kind)?.reload(size > MAX_IDS ? "all" : [...ids.get(kind)!], reader);
    }
  }

  async #reloadAll(connection: PostgresConnection): Promise<void> {
    const head = await readHead(connection);
    const reader = new ConnectionReader(connection);
    for (const cache of this.#caches.values()) await cache.reload("all", reader);
    this.#seen = head;
  }
}

async function readHead(on: Pick<PostgresPool, "query">, lock: "" | "for update" = ""): Promise<Position> {
  const [head] = await on.query<Position>(`select version, nonce from feed_head ${lock}`);
  return head!;
}

function randomNonce(): bigint {
  return crypto.getRandomValues(new BigInt64Array(1))[0]!;
}
