import { ApiError } from "../../requests/api-error.ts";
import { authorityAway } from "../../requests/authority-away.ts";
import type { PostgresPool } from "../postgres/postgres-pool.ts";
import type { Claim, ClaimedRequest, ClaimStore } from "./claim-store.ts";

const CHANNEL = "tollgate_claims";
/** Notices may be lost: so often waiting requests look whether the one in flight has ended. */
const POLL_MS = 250;
/** A process that was not seen for so long is lost: whether its requests have replies is in its journal. */
const LOST_AFTER_MS = 10_000;

/** The claim of a process whose journal is applied, or was written off, is void: a reply that its request has is stored. */
const CLAIM = `insert into claims (scope, digest, request_id, instance_id, expires_at)
  values ($1, $2, $3, $4, authority_now() + interval '1 day')
  on conflict (scope) do update set digest = excluded.digest, request_id = excluded.request_id, instance_id = excluded.instance_id,
    expires_at = excluded.expires_at
  where not exists (select 1 from instances where instances.id = claims.instance_id and instances.state = 'live')
  returning scope`;

const IN_FLIGHT = `select claims.scope, claims.digest, claims.request_id,
    instances.seen_at > authority_now() - ${LOST_AFTER_MS} * interval '1 ms' as is_connected
  from claims join instances on instances.id = claims.instance_id and instances.state = 'live' where claims.scope = any($1::text[])`;

interface InFlight {
  readonly scope: string;
  readonly digest: string;
  readonly request_id: string;
  readonly is_connected: boolean;
}

interface Held {
  readonly scope: string;
  readonly requestId: string;
}

/** A request that waits for another one to end. */
interface Watch extends Held {
  readonly wake: () => void;
}

export interface PostgresClaimOptions {
  readonly pool: PostgresPool;
  /** Of this process, as in the table of the ledger. */
  readonly instanceId: string;
}

/**
 * Idempotency claims in PostgreSQL. A claim lasts until its request has ended, or until the journal of its process is applied or written off: so
 * a request whose process was lost is answered with a 503 until its reply is known, and no upstream is called a second time.
 */
export class PostgresClaimStore implements ClaimStore {
  readonly #options: PostgresClaimOptions;
  readonly #watches = new Set<Watch>();
  /** Claims that have ended, which the database may still have. */
  readonly #unreleased = new Set<Held>();
  #timer: Timer | undefined;

  constructor(options: PostgresClaimOptions) {
    this.#options = options;
  }

  /** Is notified of claims that end, from now on. */
  async start(): Promise<void> {
    await this.#options.pool.listen(
      CHANNEL,
      (scope) => this.#wakeScope(scope),
      () => this.#wakeAll(),
    );
  }

  async claim(scope: string, digest: string, requestId: string): Promise<Claim | ClaimedRequest> {
    const { pool, instanceId } = this.#options;
    const held: Held = { scope, requestId };
    try {
      for (;;) {
        const claimed = await pool.query(CLAIM, [scope, digest, requestId, instanceId]);
        if (claimed.length > 0) return { release: () => this.#release(held) };
        const [inFlight] = await this.#find([scope]);
        // Otherwise it has ended meanwhile.
        if (inFlight && !inFlight.is_connected) throw claimsUnknown("the request with this idempotency key is in a process that is lost");
        if (inFlight) return this.#watch(inFlight);
      }
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // Whether it was granted is unknown.
      this.#unreleased.add(held);
      this.#schedule();
      throw claimsUnknown((error as Error).message);
    }
  }

  async find(scope: string): Promise<ClaimedRequest | undefined> {
    try {
      const [inFlight] = await this.#find([scope]);
      return inFlight && this.#watch(inFlight);
    } catch (error) {
      throw claimsUnknown((error as Error).message);
    }
  }

  /** Ends the claims that could not be ended before, as far as the database answers. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#wakeAll();
    await this.#releaseAll().catch(() => undefined);
  }

  async #find(scopes: readonly string[]): Promise<readonly InFlight[]> {
    return this.#options.pool.query<InFlight>(IN_FLIGHT, [scopes]);
  }

  #watch({ scope, digest, request_id: requestId }: InFlight): ClaimedRequest {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const watch: Watch = {
      scope,
      requestId,
      wake: () => {
        this.#watches.delete(watch);
        resolve();
      },
    };
    this.#watches.add(watch);
    this.#schedule();
    return { digest, requestId, released };
  }

  async #release(held: Held): Promise<void> {
    this.#unreleased.add(held);
    await this.#releaseAll().catch(() => this.#schedule());
  }

  async #releaseAll(): Promise<void> {
    const ended = [...this.#unreleased];
    if (ended.length === 0) return;
    const { pool, instanceId } = this.#options;
    await pool.query(
      `with ended as (
          delete from claims using unnest($1::text[], $2::text[]) as held (scope, request_id)
          where claims.scope = held.scope and claims.request_id = held.request_id and claims.instance_id = $3 returning claims.scope)
        select pg_notify('${CHANNEL}', scope) from ended`,
      [ended.map(({ scope }) => scope), ended.map(({ requestId }) => requestId), instanceId],
    );
    for (const each of ended) {
      this.#unreleased.delete(each);
      this.#wakeScope(each.scope);
    }
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#poll(), POLL_MS);
  }

  /** Wakes requests whose wait is over: the one in flight has ended, or its process is lost. */
  async #poll(): Promise<void> {
    try {
      await this.#releaseAll();
      const watches = [...this.#watches];
      if (watches.length > 0) {
        const inFlight = await this.#find([...new Set(watches.map(({ scope }) => scope))]);
        const live = new Set(inFlight.filter(({ is_connected }) => is_connected).map((each) => `${each.request_id} ${each.scope}`));
        for (const { scope, requestId, wake } of watches) if (!live.has(`${requestId} ${scope}`)) wake();
      }
    } catch {
      // Who waits claims again, and is rejected while the database is away.
      this.#wakeAll();
    }
    this.#timer = undefined;
    if (this.#watches.size + this.#unreleased.size > 0) this.#schedule();
  }

  #wakeScope(scope: string): void {
    for (const watch of this.#watches) if (watch.scope === scope) watch.wake();
  }

  #wakeAll(): void {
    for (const { wake } of this.#watches) wake();
  }
}

function claimsUnknown(detail: string): ApiError {
  return authorityAway(`an idempotency key cannot be claimed: ${detail}`);
}
