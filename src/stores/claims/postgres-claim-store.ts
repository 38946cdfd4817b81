import { ApiError } from "../../requests/api-error.ts";
import { authorityAway } from "../../requests/authority-away.ts";
import type { PostgresConnection, PostgresPool } from "../postgres/postgres-pool.ts";
import { SERVER_RUN, IDEMPOTENCY_RETENTION, unstatedProcesses } from "../postgres/server-run.ts";
import type { Claim, ClaimedRequest, ClaimStore } from "./claim-store.ts";

/** How often waiting requests poll: a notice that a request has ended may be lost. */
const POLL_MS = 250;
/** How long to keep deleting claims left by a late statement: an unanswered statement may still reach the database after a later one. */
const ORPHANS_FOR_MS = 120_000;
const DELETE_ORPHANS_EVERY_MS = 1000;
/**
 * The wait after a start of the database. A database that has lost the transaction by which a process joined no longer knows that process.
 * The process connects again during this wait, and its claims are then waited for. If no such loss has been detected, the process can only
 * have joined after the last heartbeat of every other process, and a short wait is enough. If a loss has been detected, the process may
 * have to wait for several statement timeouts, one for each dead connection that was not reset.
 */
const RECONNECTION_MS = 1000;
const RECONNECTION_OF_LOST_MS = 15_000;

/** A request that waits for another request to end. */
interface ClaimWaiter {
  readonly scope: string;
  readonly requestId: string;
  readonly wake: () => void;
}

export interface PostgresClaimOptions {
  readonly pool: PostgresPool;
  /** The id of this process in the ledger's `instances` table. */
  readonly instanceId: string;
  /** Ships everything that the ledger of this process has recorded, with the idempotent replies. Throws if that fails. */
  readonly shipAll: () => Promise<void>;
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * Idempotency claims in PostgreSQL. A claim lasts until its request has ended, or until the journal of its process is applied or written
 * off. So if the process of a request was lost, a repeated request receives 503 until the first reply is known, and no upstream is called
 * twice.
 *
 * After a start, the database may have been restored without the last claims and replies. So each process states its claims in every run of
 * the database server, and no claim is granted before all processes have stated theirs.
 */
export class PostgresClaimStore implements ClaimStore {
  readonly #options: PostgresClaimOptions;
  readonly #held = new HeldClaims();
  readonly #watches = new Set<ClaimWaiter>();
  /** The run of the database server in which this process has stated its claims. */
  #run: string | undefined;
  #isStating = false;
  /** How long the database may have orphaned claims: claims under this process's id that this process does not hold. */
  #orphansUntilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  /** Whether the timer fires within `POLL_MS`, or a poll is running. */
  #isSoon = false;
  #isClosed = false;

  constructor(options: PostgresClaimOptions) {
    this.#options = options;
  }

  /** Starts listening for notices of ended claims. */
  async start(): Promise<void> {
    await this.#state(await this.#readRun());
    await this.#options.pool.listen(
      CHANNEL,
      (scope) => this.#wakeScope(scope),
      () => this.#wakeAll(),
    );
  }

  /**
   * The database server was started again, or is a different one: this process states its claims in this run, unless it already has.
   * `hasLostJoin`: the database has lost the transaction by which a process joined. Must be called repeatedly: a run that ends meanwhile is
   * abandoned.
   */
  stateClaimsInRun(run: string, hasLostJoin: boolean): void {
    if (this.#isStating || run === this.#run) return;
    this.#isStating = true;
    this.#run = undefined;
    void this.#stateAgain(run, hasLostJoin).finally(() => (this.#isStating = false));
  }

  async claim(scope: string, digest: string, requestId: string): Promise<Claim | ClaimedRequest> {
    const held: HeldClaim = { scope, digest, requestId, isGranted: false };
    this.#held.add(held);
    try {
      return await this.#claim(held);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // Whether the claim was granted is unknown.
      this.#expectOrphans();
      throw claimsUnknown((error as Error).message);
    } finally {
      if (!held.isGranted) this.#held.delete(held);
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

  /** Ends the claims that could not be ended before, if the database answers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#wakeAll();
    if (this.#mayHaveOrphans) await this.#endOrphans().catch(() => undefined);
  }

  async #claim(held: HeldClaim): Promise<Claim | ClaimedRequest> {
    const { pool, instanceId } = this.#options;
    const { scope, digest, requestId } = held;
    for (;;) {
      const [reply] = await pool.query<ClaimReply>(CLAIM, [scope, digest, requestId, instanceId]);
      const { is_granted: isGranted, unstated, run } = reply!;
      if (unstated.length > 0) throw claimsUnknown(`the claims of ${unstated.join(", ")} are unknown since the start of the database`);
      // This process may have stated its claims again since, without this claim.
      if (isGranted && run !== this.#run) throw new Error("the database was started again");
      held.isGranted = isGranted;
      if (isGranted) return { release: () => this.#release(held) };
      const [inFlight] = await this.#find([scope]);
      // If no request is in flight any more, it has just ended, and the loop claims again.
      if (inFlight && !inFlight.is_connected) throw claimsUnknown("the request with this idempotency key is in a process that is lost");
      if (inFlight) return this.#watch(inFlight);
    }
  }

  /** The requests in flight under these scopes. Also ends orphaned claims, because no other process does. */
  async #find(scopes: readonly string[]): Promise<readonly InFlight[]> {
    const { pool, instanceId } = this.#options;
    const found = await pool.query<InFlight>(IN_FLIGHT, [scopes]);
    const inFlight = found.filter((each) => each.instance_id !== instanceId || this.#held.has(each.scope, each.request_id));
    if (inFlight.length < found.length) await this.#endOrphans();
    return inFlight;
  }

  #watch({ scope, digest, request_id: requestId }: InFlight): ClaimedRequest {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const watch: ClaimWaiter = {
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

  async #release(held: HeldClaim): Promise<void> {
    if (!this.#held.delete(held)) return;
    const { scope, requestId } = held;
    try {
      await this.#options.pool.query(END, [scope, requestId, this.#options.instanceId]);
      this.#wakeScope(scope);
    } catch {
      this.#expectOrphans();
    }
  }

  /** Ends orphaned claims. A claim is added to `#held` before the database is asked for it, so a claim that is not in `#held` has ended. */
  async #endOrphans(on: Pick<PostgresConnection, "query"> = this.#options.pool): Promise<void> {
    const { instanceId } = this.#options;
    const own = await on.query<Pick<InFlight, "scope" | "request_id">>(OWN, [instanceId]);
    const others = own.filter((each) => !this.#held.has(each.scope, each.request_id));
    if (others.length === 0) return;
    await on.query(END_SOME, [instanceId, others.map(({ scope }) => scope), others.map((each) => each.request_id)]);
  }

  async #stateAgain(run: string, hasLostJoin: boolean): Promise<void> {
    const { sleep = Bun.sleep } = this.#options;
    for (let waitMs = hasLostJoin ? RECONNECTION_OF_LOST_MS : RECONNECTION_MS; !this.#isClosed; waitMs = POLL_MS) {
      await sleep(waitMs);
      try {
        if ((await this.#readRun()) === run) await this.#state(run);
        return;
      } catch {
        // Ignored: no process gets a claim meanwhile.
      }
    }
  }

  async #readRun(): Promise<string> {
    return (await this.#options.pool.query<{ run: string }>(`select ${SERVER_RUN} as run`))[0]!.run;
  }

  async #state(run: string): Promise<void> {
    const { pool, instanceId, shipAll } = this.#options;
    await shipAll();
    await pool.transaction(async (connection) => {
      await this.#endOrphans(connection);
      const granted = this.#held.granted();
      await connection.query(STATE_CLAIMS, [instanceId, ...granted]);
      // A stated claim may end in the meantime, and still be in the database.
      if (granted[0].length > 0) this.#expectOrphans();
      const stated = await connection.query(STATE_RUN, [instanceId, run]);
      if (stated.length === 0) throw new Error("the database was started again");
    });
    this.#run = run;
  }

  get #mayHaveOrphans(): boolean {
    return performance.now() < this.#orphansUntilMs;
  }

  #expectOrphans(): void {
    this.#orphansUntilMs = performance.now() + ORPHANS_FOR_MS;
    this.#schedule();
  }

  /** Polls soon while requests wait, otherwise only to end orphaned claims. */
  #schedule(): void {
    const isSoon = this.#watches.size > 0;
    if (this.#isClosed || (this.#timer && (this.#isSoon || !isSoon))) return;
    clearTimeout(this.#timer);
    this.#isSoon = isSoon;
    this.#timer = setTimeout(() => void this.#poll(), isSoon ? POLL_MS : DELETE_ORPHANS_EVERY_MS);
  }

  /** Wakes requests whose wait is over: the request in flight has ended, or its process is lost. */
  async #poll(): Promise<void> {
    this.#isSoon = true;
    try {
      if (this.#mayHaveOrphans) await this.#endOrphans();
      const watches = [...this.#watches];
      if (watches.length > 0) {
        const inFlight = await this.#find([...new Set(watches.map(({ scope }) => scope))]);
        const live = new Set(inFlight.filter(({ is_connected }) => is_connected).map((each) => claimKey(each.scope, each.request_id)));
        for (const { scope, requestId, wake } of watches) if (!live.has(claimKey(scope, requestId))) wake();
      }
    } catch {
      // The woken requests claim again, and are rejected while the database is away.
      this.#wakeAll();
      this.#orphansUntilMs = performance.now() + ORPHANS_FOR_MS;
    }
    this.#timer = undefined;
    if (this.#watches.size > 0 || this.#mayHaveOrphans) this.#schedule();
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

/** A request of this process that has asked for a claim or has it. */
interface HeldClaim {
  readonly scope: string;
  /** Digest of the request body. */
  readonly digest: string;
  readonly requestId: string;
  isGranted: boolean;
}

/** The columns of a list of claims, as parameters of `unnest`. */
type ClaimColumns = [scopes: string[], requestIds: string[], digests: string[]];

/** The claims of this process, as it knows them. Any other claim in the database under its id has ended. */
class HeldClaims {
  readonly #held = new Map<string, HeldClaim>();

  add(claim: HeldClaim): void {
    this.#held.set(claimKey(claim.scope, claim.requestId), claim);
  }

  /** Returns whether the claim was there. */
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

/** The key is unambiguous, because a request id has no spaces. */
function claimKey(scope: string, requestId: string): string {
  return `${requestId} ${scope}`;
}

/** The channel for notices of ended claims. */
const CHANNEL = "tollgate_claims";
/** A process that was not seen for this long is lost: only its journal shows whether its requests have replies. */
const LOST_AFTER = "interval '10 seconds'";

/** A claim is void if its process's journal is applied or was written off: any reply of its request is stored. */
const CLAIM = `with unstated as materialized (${unstatedProcesses("$4")}),
  claimed as (insert into claims (scope, digest, request_id, instance_id, expires_at)
    select $1::text, $2::text, $3::text, $4::text, authority_now() + ${IDEMPOTENCY_RETENTION} where not exists (select from unstated)
    on conflict (scope) do update set digest = excluded.digest, request_id = excluded.request_id, instance_id = excluded.instance_id,
      expires_at = excluded.expires_at
    where not exists (select 1 from instances where instances.id = claims.instance_id and instances.state = 'live')
    returning scope)
  select exists (select from claimed) as is_granted, array(select id from unstated) as unstated, ${SERVER_RUN} as run`;

interface ClaimReply {
  readonly is_granted: boolean;
  readonly unstated: readonly string[];
  readonly run: string;
}

const IN_FLIGHT = `select claims.scope, claims.digest, claims.request_id, claims.instance_id,
    instances.seen_at > authority_now() - ${LOST_AFTER} as is_connected
  from claims join instances on instances.id = claims.instance_id and instances.state = 'live' where claims.scope = any($1::text[])`;

const END = `with ended as (delete from claims where scope = $1 and request_id = $2 and instance_id = $3 returning scope)
  select pg_notify('${CHANNEL}', scope) from ended`;
const OWN = "select scope, request_id from claims where instance_id = $1";
const END_SOME = `with ended as (delete from claims using unnest($2::text[], $3::text[]) as listed (scope, request_id)
    where claims.scope = listed.scope and claims.request_id = listed.request_id and claims.instance_id = $1 returning claims.scope)
  select pg_notify('${CHANNEL}', scope) from ended`;
/** A granted claim is the latest one of its scope: any other claim that a restored database has was released before. */
const STATE_CLAIMS = `insert into claims (scope, request_id, digest, instance_id, expires_at)
  select held.*, $1::text, authority_now() + ${IDEMPOTENCY_RETENTION} from unnest($2::text[], $3::text[], $4::text[]) held
  on conflict (scope) do update set digest = excluded.digest, request_id = excluded.request_id, instance_id = excluded.instance_id,
    expires_at = excluded.expires_at`;
const STATE_RUN = `update instances set stated_run = $2 where id = $1 and ${SERVER_RUN} = $2 returning id`;

interface InFlight {
  readonly scope: string;
  readonly digest: string;
  readonly request_id: string;
  readonly instance_id: string;
  readonly is_connected: boolean;
}
