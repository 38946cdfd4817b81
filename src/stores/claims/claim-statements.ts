import { IDEMPOTENCY_RETENTION, SERVER_RUN, unstatedProcesses } from "../postgres/server-run.ts";

/** Where claims that end are announced. */
export const CHANNEL = "tollgate_claims";
/** A process that was not seen for so long is lost: whether its requests have replies is in its journal. */
const LOST_AFTER = "interval '10 seconds'";

/** The claim of a process whose journal is applied, or was written off, is void: a reply that its request has is stored. */
export const CLAIM = `with unstated as materialized (${unstatedProcesses("$4")}),
  claimed as (insert into claims (scope, digest, request_id, instance_id, expires_at)
    select $1::text, $2::text, $3::text, $4::text, authority_now() + ${IDEMPOTENCY_RETENTION} where not exists (select from unstated)
    on conflict (scope) do update set digest = excluded.digest, request_id = excluded.request_id, instance_id = excluded.instance_id,
      expires_at = excluded.expires_at
    where not exists (select 1 from instances where instances.id = claims.instance_id and instances.state = 'live')
    returning scope)
  select exists (select from claimed) as is_granted, array(select id from unstated) as unstated, ${SERVER_RUN} as run`;

export interface ClaimReply {
  readonly is_granted: boolean;
  readonly unstated: readonly string[];
  readonly run: string;
}

export const IN_FLIGHT = `select claims.scope, claims.digest, claims.request_id, claims.instance_id,
    instances.seen_at > authority_now() - ${LOST_AFTER} as is_connected
  from claims join instances on instances.id = claims.instance_id and instances.state = 'live' where claims.scope = any($1::text[])`;

export const END = `with ended as (delete from claims where scope = $1 and request_id = $2 and instance_id = $3 returning scope)
  select pg_notify('${CHANNEL}', scope) from ended`;
export const OWN = "select scope, request_id from claims where instance_id = $1";
export const END_SOME = `with ended as (delete from claims using unnest($2::text[], $3::text[]) as listed (scope, request_id)
    where claims.scope = listed.scope and claims.request_id = listed.request_id and claims.instance_id = $1 returning claims.scope)
  select pg_notify('${CHANNEL}', scope) from ended`;
/** A claim that was granted is the last one of its scope: another that a restored database has was released before. */
export const STATE_CLAIMS = `insert into claims (scope, request_id, digest, instance_id, expires_at)
  select held.*, $1::text, authority_now() + ${IDEMPOTENCY_RETENTION} from unnest($2::text[], $3::text[], $4::text[]) held
  on conflict (scope) do update set digest = excluded.digest, request_id = excluded.request_id, instance_id = excluded.instance_id,
    expires_at = excluded.expires_at`;
export const STATE_RUN = `update instances set stated_run = $2 where id = $1 and ${SERVER_RUN} = $2 returning id`;

export interface InFlight {
  readonly scope: string;
  readonly digest: string;
  readonly request_id: string;
  readonly instance_id: string;
  readonly is_connected: boolean;
}
