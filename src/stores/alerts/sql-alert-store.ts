import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type Compilable } from "kysely";
import { bodyOfAlert, makeAlert, type Alert, type AlertKind } from "../../alerts/alert.ts";
import { MAX_DELIVERY_WAIT_MS, type DeliveryState } from "../../alerts/delivery-state.ts";
import { isRaisedKind, type RaisedKind } from "../../alerts/raised-alert.ts";
import type { Database, RecordCache, RecordReader } from "../database.ts";
import type { AlertStore, Delivery, DueDelivery, Finding, Mark, DeliveryAttempt } from "./alert-store.ts";
import { fromRow, readAttempts, writeAttempts } from "./delivery-table.ts";
import { toRow } from "./raised-alert-table.ts";

/** Pending deliveries per webhook. A receiver that was down for a long time gets the latest alerts; older ones are dropped. */
const MAX_PENDING = 1000;

/**
 * Ended deliveries per webhook. 100,000 keys can reach their caps every day, so an unlimited log of deliveries would grow without bound.
 */
const MAX_ENDED = 10_000;

/** Entries in the list of raised alerts, limited for the same reason. */
const MAX_RAISED = 10_000;

/** Deliveries deleted in one turn of the event loop, which blocks it for a few milliseconds. */
const FORGOTTEN_AT_ONCE = 200;

/**
 * Alerts in a database. Every process also has the marks in memory: whichever process raises alerts next knows which alerts were already
 * raised.
 */
export class SqlAlertStore implements AlertStore, RecordCache {
  readonly #database: Database;
  readonly #marks = new Map<string, Mark>();
  /** The raised alerts of the marks, by subject. */
  readonly #raised = new Map<string, ListedAlert>();
  #dropped = 0;

  static async open(database: Database): Promise<SqlAlertStore> {
    const store = new SqlAlertStore(database);
    await database.cache("alert_mark", store);
    return store;
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  async reload(subjects: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("alert_marks").selectAll();
    const rows = await (subjects === "all" ? all : all.where("subject", "in", subjects)).execute();
    for (const subject of subjects === "all" ? [...this.#marks.keys()] : subjects)
      this.#mark({ subject, mark: undefined, raised: undefined });
    for (const { subject, value, at_ms: atMs, alert_id: id, alert_kind: kind } of rows) {
      const raised = id === null || kind === null ? undefined : { id, kind: kind as RaisedKind };
      this.#mark({ subject, mark: { value, atMs }, raised });
    }
  }

  get marks(): ReadonlyMap<string, Mark> {
    return this.#marks;
  }

  get dropped(): number {
    return this.#dropped;
  }

  async raise(findings: readonly Finding[], nowMs: number, resolveTo: ResolveTo = () => []): Promise<void> {
    const notified = new Set(findings.flatMap(({ alert, webhookIds }) => (alert ? webhookIds : [])));
    await this.#database.change(
      "alert_mark",
      findings.map(({ subject }) => subject),
      () => findings.map((finding) => this.#next(finding)),
      (marked) => ({
        statements: marked.flatMap((each) => [
          ...this.#statementsOf(each),
          ...(each.ended ? this.#resolve(each.ended, nowMs, resolveTo(each.ended.kind)) : []),
        ]),
        apply: () => marked.forEach((each) => this.#mark(each)),
      }),
    );
    for (const webhookId of notified) await this.#dropOldest(webhookId);
  }

  async due(webhookId: string, nowMs: number, limit: number): Promise<readonly DueDelivery[]> {
    const rows = await this.#database
      .selectFrom("deliveries")
      .innerJoin("alerts", "alerts.id", "deliveries.alert_id")
      .select(["deliveries.id", "alert_id", "body", "tries_made"])
      .where("webhook_id", "=", webhookId)
      .where("state", "=", sql.lit("pending"))
      // No attempt is ever scheduled this far in the future, so the wall clock was ahead when this attempt was scheduled.
      .where((is) => is.or([is("next_try_at_ms", "<=", nowMs), is("next_try_at_ms", ">", nowMs + MAX_DELIVERY_WAIT_MS)]))
      .orderBy("next_try_at_ms")
      .orderBy("deliveries.id")
      .limit(limit)
      .execute();
    return rows.map((row) => ({ id: row.id, alertId: row.alert_id, body: row.body, attemptsMade: row.tries_made }));
  }

  async recordAttempt(
    deliveryId: number,
    made: DeliveryAttempt,
    next: { state: DeliveryState; attemptAtMs: number | null },
  ): Promise<void> {
    const query = this.#database.selectFrom("deliveries").select(["tries", "tries_made"]).where("id", "=", deliveryId);
    const row = await query.executeTakeFirst();
    // Its webhook was deleted during the attempt.
    if (!row) return;
    const tries = writeAttempts([...readAttempts(row.tries), made]);
    await this.#update(deliveryId, { state: next.state, next_try_at_ms: next.attemptAtMs, tries_made: row.tries_made + 1, tries });
  }

  async addTestDelivery(alert: Alert, webhookId: string, made: DeliveryAttempt): Promise<Delivery> {
    const state = made.problem === null ? "delivered" : "failed";
    const delivery = { state, next_try_at_ms: null, tries_made: 1, tries: writeAttempts([made]) } as const;
    await this.#database.write(this.#insertAlert(alert), this.#insertDelivery(alert, webhookId, delivery));
    return fromRow(await this.#select(webhookId).where("alert_id", "=", alert.id).executeTakeFirstOrThrow());
  }

  async redeliver(deliveryId: number, nowMs: number): Promise<void> {
    await this.#update(deliveryId, { state: "pending", next_try_at_ms: nowMs, tries_made: 0 });
  }

  async findDelivery(webhookId: string, deliveryId: number): Promise<Delivery | undefined> {
    const row = await this.#select(webhookId).where("deliveries.id", "=", deliveryId).executeTakeFirst();
    return row && fromRow(row);
  }

  async deliveries(webhookId: string, state: DeliveryState | undefined, beforeId: number, limit: number): Promise<readonly Delivery[]> {
    let query = this.#select(webhookId).where("deliveries.id", "<", beforeId).orderBy("deliveries.id", "desc").limit(limit);
    if (state !== undefined) query = query.where("state", "=", state);
    return (await query.execute()).map(fromRow);
  }

  async countPending(): Promise<number> {
    const query = this.#database.selectFrom("deliveries").select(({ fn }) => fn.countAll<number>().as("count"));
    return (await query.where("state", "=", sql.lit("pending")).executeTakeFirstOrThrow()).count;
  }

  async forgetEnded(webhookIds: readonly string[], beforeMs: number): Promise<void> {
    for (const webhookId of webhookIds) await this.#forgetEndedTo(webhookId, beforeMs);
    await this.#forgetOrphans(beforeMs);
  }

  async forgetRaised(beforeMs: number): Promise<void> {
    const newestFirst = this.#database.selectFrom("raised_alerts").select(["at_ms", "id"]).orderBy("at_ms", "desc").orderBy("id", "desc");
    const last = await newestFirst.offset(MAX_RAISED).limit(1).executeTakeFirst();
    const all = this.#database.deleteFrom("raised_alerts");
    const isEnded = sql<boolean>`(resolved_at_ms is not null or acknowledged_at_ms is not null)`;
    await this.#database.write(
      all.where("at_ms", "<", beforeMs).where(isEnded),
      ...(last ? [all.where(sql<boolean>`(at_ms, id) <= (${last.at_ms}, ${last.id})`)] : []),
    );
  }

  async #forgetEndedTo(webhookId: string, beforeMs: number): Promise<void> {
    const ended = this.#database
      .selectFrom("deliveries")
      .where("webhook_id", "=", webhookId)
      .where("state", "!=", sql.lit("pending"))
      .select(["id", "alert_id", "created_at_ms"]);
    const newestFirst = ended.orderBy("created_at_ms", "desc").orderBy("id", "desc");
    const tooMany = await newestFirst.offset(MAX_ENDED).limit(1).executeTakeFirst();
    const tooOld = await newestFirst.where("created_at_ms", "<", beforeMs).limit(1).executeTakeFirst();
    for (const last of [tooMany, tooOld]) {
      if (!last) continue;
      const isUpToLast = sql<boolean>`(created_at_ms, id) <= (${last.created_at_ms}, ${last.id})`;
      const oldest = ended.where(isUpToLast).orderBy("created_at_ms").orderBy("id").limit(FORGOTTEN_AT_ONCE);
      for (let slice = await oldest.execute(); slice.length > 0; slice = await oldest.execute()) {
        await this.#forget(slice);
        await nextTurn();
      }
    }
  }

  /** Deletes deliveries, and the alerts that have no other delivery. */
  #forget(deliveries: readonly { readonly id: number; readonly alert_id: string }[]): Promise<void> {
    const ids = deliveries.map(({ id }) => id);
    const alertIds = deliveries.map((each) => each.alert_id);
    return this.#database.write(
      // A delivery may have been redelivered since the query.
      this.#database.deleteFrom("deliveries").where("id", "in", ids).where("state", "!=", sql.lit("pending")),
      this.#database.deleteFrom("alerts").where("id", "in", alertIds).where(HAS_NO_DELIVERY),
    );
  }

  /** Deletes alerts whose webhooks were deleted. */
  async #forgetOrphans(beforeMs: number): Promise<void> {
    const old = this.#database
      .selectFrom("alerts")
      .select("id")
      .where("at_ms", "<", beforeMs)
      .where(HAS_NO_DELIVERY)
      .limit(FORGOTTEN_AT_ONCE);
    for (;;) {
      const { numDeletedRows } = await this.#database.deleteFrom("alerts").where("id", "in", old).executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return;
      await nextTurn();
    }
  }

  /** The new raised alert of a finding's subject, and the alert that it ends. A mark without an alert continues the previous alert. */
  #next(finding: Finding): MarkedFinding {
    const { subject, mark, alert } = finding;
    const before = this.#raised.get(subject);
    if (mark && !alert) return { ...finding, raised: before, ended: undefined };
    const raised = mark && alert && isRaisedKind(alert.kind) ? { id: alert.id, kind: alert.kind } : undefined;
    return { ...finding, raised, ended: before };
  }

  #mark({ subject, mark, raised }: Pick<MarkedFinding, "subject" | "mark" | "raised">): void {
    if (mark) this.#marks.set(subject, mark);
    else this.#marks.delete(subject);
    if (raised) this.#raised.set(subject, raised);
    else this.#raised.delete(subject);
  }

  #statementsOf({ subject, mark, raised, alert, webhookIds }: MarkedFinding): Compilable[] {
    const marking = mark ? this.#putMark(subject, mark, raised) : this.#database.deleteFrom("alert_marks").where("subject", "=", subject);
    if (!alert) return [marking];
    const listing = isRaisedKind(alert.kind) ? [this.#database.insertInto("raised_alerts").values(toRow(alert))] : [];
    return [marking, ...listing, ...this.#send(alert, webhookIds)];
  }

  #resolve({ id, kind }: ListedAlert, nowMs: number, webhookIds: readonly string[]): Compilable[] {
    const resolved = this.#database.updateTable("raised_alerts").set({ resolved_at_ms: nowMs });
    return [resolved.where("id", "=", id), ...this.#send({ ...makeAlert(kind, {}, nowMs), resolves: id }, webhookIds)];
  }

  #send(alert: Alert, webhookIds: readonly string[]): Compilable[] {
    if (webhookIds.length === 0) return [];
    const pending = { state: "pending", next_try_at_ms: alert.atMs, tries_made: 0, tries: "[]" } as const;
    return [this.#insertAlert(alert), ...webhookIds.map((id) => this.#insertDelivery(alert, id, pending))];
  }

  #putMark(subject: string, { value, atMs }: Mark, raised: ListedAlert | undefined): Compilable {
    const row = { value, at_ms: atMs, alert_id: raised?.id ?? null, alert_kind: raised?.kind ?? null };
    return this.#database
      .insertInto("alert_marks")
      .values({ subject, ...row })
      .onConflict((conflict) => conflict.column("subject").doUpdateSet(row));
  }

  #insertAlert(alert: Alert): Compilable {
    const { id, kind, atMs } = alert;
    return this.#database.insertInto("alerts").values({ id, kind, at_ms: atMs, body: bodyOfAlert(alert) });
  }

  #insertDelivery(alert: Alert, webhookId: string, how: DeliveryChange & { tries: string }): Compilable {
    const values = { alert_id: alert.id, webhook_id: webhookId, created_at_ms: alert.atMs, ...how };
    return this.#database.insertInto("deliveries").values(values);
  }

  #update(deliveryId: number, change: DeliveryChange): Promise<void> {
    return this.#database.write(this.#database.updateTable("deliveries").set(change).where("id", "=", deliveryId));
  }

  #select(webhookId: string) {
    return this.#database
      .selectFrom("deliveries")
      .innerJoin("alerts", "alerts.id", "deliveries.alert_id")
      .selectAll("deliveries")
      .select("kind")
      .where("webhook_id", "=", webhookId);
  }

  async #dropOldest(webhookId: string): Promise<void> {
    const pending = sql`select id from deliveries where webhook_id = ${webhookId} and state = 'pending'`;
    const { numUpdatedRows } = await this.#database
      .updateTable("deliveries")
      .set({ state: "dropped", next_try_at_ms: null })
      .where("webhook_id", "=", webhookId)
      .where("state", "=", sql.lit("pending"))
      .where(sql<boolean>`id <= (${pending} order by id desc limit 1 offset ${MAX_PENDING})`)
      .executeTakeFirstOrThrow();
    this.#dropped += Number(numUpdatedRows);
  }
}

const HAS_NO_DELIVERY = sql<boolean>`not exists (select 1 from deliveries where alert_id = alerts.id)`;

/** Returns the webhooks that are notified that an alert of a kind is over. */
type ResolveTo = (kind: AlertKind) => readonly string[];

/** An alert in the list of raised alerts. */
interface ListedAlert {
  readonly id: string;
  readonly kind: RaisedKind;
}

interface MarkedFinding extends Finding {
  readonly raised: ListedAlert | undefined;
  readonly ended: ListedAlert | undefined;
}

interface DeliveryChange {
  readonly state: DeliveryState;
  readonly next_try_at_ms: number | null;
  readonly tries_made: number;
  readonly tries?: string;
}
