import { type Purse, purseKey } from "../../../money/purse.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { AuthorityListener } from "../leases/authority.ts";
import { RECALL_MS } from "../leases/recalls.ts";
import { LOST_AFTER, SILENT_AFTER } from "./locked-purses.ts";
import { CREDIT_CHANNEL, readNotice } from "./notices.ts";

/** How often to poll for an answer: with a connection pooler there are no notices. */
const POLL_MS = 25;

const LISTED = "(r.scope, r.id) in (select * from unnest($2::text[], $3::text[])) and r.instance_id is distinct from $1";
const IS_LIVE = `i.state = 'live' and i.seen_at >= authority_now() - ${LOST_AFTER}`;
/** A recall does not wait for a process that has not answered for this long: its lease is stranded. */
const IS_AWAITED = `asked_at >= authority_now() - ${SILENT_AFTER}`;

/** A repeated recall keeps the time of the first unanswered one, so that a process that does not answer for long counts as away. */
const ASK = `with asked as (insert into recalls (instance_id, scope, id, asked_at)
    select r.instance_id, r.scope, r.id, authority_now() from leases r join instances i on i.id = r.instance_id
      where ${LISTED} and r.nanos > 0 and ${IS_LIVE} order by r.instance_id, r.scope, r.id
    on conflict (instance_id, scope, id) do update set asked_at = recalls.asked_at returning instance_id, scope, id, asked_at)
  select count(case when ${IS_AWAITED} then 1 end) as count from (
    select asked_at, pg_notify('${CREDIT_CHANNEL}', 'recall ' || instance_id || ' ' || scope || ':' || id) from asked) notified`;
const COUNT_UNANSWERED = `select count(*) as count from recalls r join instances i on i.id = r.instance_id where ${LISTED} and ${IS_LIVE} and r.${IS_AWAITED}`;
/**
 * Deletes nothing in a restored database that this process has not called yet: its lease there is an earlier one, and it has returned nothing
 * of that lease.
 */
const ANSWER = `with answered as (delete from recalls where instance_id = $1 and scope = $2 and id = $3
    and exists (select from instances where id = $1 and applied_seq >= $4::bigint) returning scope, id)
  select count(pg_notify('${CREDIT_CHANNEL}', 'returned ' || scope || ':' || id)) as count from answered`;
const FREE = `with freed as (update purses p set is_short = false
    where p.is_short and (p.scope, p.id) in (select * from unnest($1::text[], $2::text[])) returning p.scope, p.id)
  select count(pg_notify('${CREDIT_CHANNEL}', 'freed ' || scope || ':' || id)) as count from freed`;

/**
 * Processes ask each other to return unused credit of a purse, with a row that the asked process deletes when it has done so. A notice
 * informs the process at once; without a notice it reads the row with its next shipment.
 */
export class CreditRecalls {
  readonly #pool: PostgresPool;
  readonly #appliedSeq: (instanceId: string) => number;
  #instanceId: string | undefined;
  #listener: AuthorityListener | undefined;
  /** Recalls that this process is answering. */
  readonly #answering = new Set<string>();
  /** Callbacks that are called at the next answer of a process. */
  readonly #waiting = new Set<() => void>();

  /** `appliedSeq`: the last number of a process that the database is known to have applied. */
  constructor(pool: PostgresPool, appliedSeq: (instanceId: string) => number) {
    this.#pool = pool;
    this.#appliedSeq = appliedSeq;
  }

  /** Passes the messages of other processes to the ledger of this process. */
  connect(instanceId: string, listener: AuthorityListener): void {
    this.#instanceId = instanceId;
    this.#listener = listener;
  }

  /** Receives notices from now on. */
  listen(): Promise<void> {
    return this.#pool.listen(
      CREDIT_CHANNEL,
      (payload) => this.#notified(payload),
      () => this.#listener?.connected(),
    );
  }

  /** Resolves when the other processes have returned unused credit, or after 2 seconds. */
  async recall(instanceId: string | undefined, purses: readonly Purse[]): Promise<void> {
    const parameters = [instanceId ?? null, purses.map(({ scope }) => scope), purses.map(({ id }) => id)];
    const deadline = performance.now() + RECALL_MS;
    let unanswered = await this.#count(ASK, parameters);
    while (unanswered > 0n && performance.now() < deadline) {
      await this.#answered();
      unanswered = await this.#count(COUNT_UNANSWERED, parameters);
    }
  }

  /** Notifies refused processes that these purses may have credit again. */
  async free(purses: readonly Purse[]): Promise<void> {
    await this.#pool.query(FREE, [purses.map(({ scope }) => scope), purses.map(({ id }) => id)]);
  }

  /** Other processes need credit of these purses. Each recall is answered when the authority has the returned credit. */
  answer(instanceId: string, purses: readonly Purse[]): void {
    if (instanceId !== this.#instanceId) return;
    for (const purse of purses) {
      const key = purseKey(purse);
      if (this.#answering.has(key)) continue;
      this.#answering.add(key);
      // A recall whose answer fails is read again with the next shipment.
      void this.#answer(instanceId, purse)
        .catch(() => undefined)
        .finally(() => this.#answering.delete(key));
    }
  }

  async #answer(instanceId: string, purse: Purse): Promise<void> {
    await this.#listener?.recalled(purse);
    await this.#pool.query(ANSWER, [instanceId, purse.scope, purse.id, this.#appliedSeq(instanceId)]);
  }

  #notified(payload: string): void {
    const notice = readNotice(payload);
    if (notice?.kind === "freed") this.#listener?.onCreditAvailable(notice.purse);
    else if (notice?.kind === "recall") this.answer(notice.instanceId, [notice.purse]);
    else for (const resolve of this.#waiting) resolve();
  }

  async #answered(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, POLL_MS);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
  }

  async #count(text: string, parameters: readonly unknown[]): Promise<bigint> {
    return (await this.#pool.query<{ count: bigint }>(text, parameters))[0]!.count;
  }
}
