CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:53:27.144Z');
insert into "kysely_migration" values ('0002-ledger', '2026-11-16T18:53:27.152Z');
insert into "kysely_migration" values ('0003-platform', '2026-11-16T18:53:27.154Z');
insert into "kysely_migration" values ('0004-people', '2026-11-16T18:53:27.157Z');
insert into "kysely_migration" values ('0006-catalog', '2026-11-16T18:53:27.158Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint, "account_id" text default 'default' not null, "limits" text default '{}' not null, "caps" text default '{}' not null);
insert into "keys" values ('WjI098krMQZm', 'plain', 'c0a4cd5a368b47455acc0ba8b30876fbdb607975b9d15650e2aae3de0def9e6f', '["*"]', 1794855207236, NULL, NULL, 'default', '{}', '{}');
insert into "keys" values ('OnSbj59J3Idk', 'capped', 'cb074fcdb3bcb68ac00a2b6a80ba7237cdd5f1ed498af9dd6a61f07cac606008', '["*"]', 1794855207239, NULL, NULL, 'acme', '{}', '{"dayNanos":"1000000000"}');
insert into "keys" values ('AWlQuENW6gBn', 'revoked', 'f7d4e0800860c316dfbcaf624dbaeb808f0b5e14bff932ce553fe800bc18e876', '["steady"]', 1794855207242, NULL, 1794855207243, 'default', '{}', '{}');
CREATE TABLE "accounts" ("id" text primary key, "name" text not null, "created_at_ms" bigint not null, "limits" text not null, "caps" text not null);
insert into "accounts" values ('default', 'Default', 1794855207160, '{}', '{}');
insert into "accounts" values ('acme', 'Acme', 1794855207203, '{}', '{"dayNanos":"5000000000","monthNanos":"50000000000"}');
CREATE TABLE "entries" ("id" integer primary key, "account_id" text not null, "kind" text not null, "amount_nanos" bigint not null, "at_ms" bigint not null, "actor" text not null, "reason" text not null, "reference" text, "request_id" text, "hold_id" integer, "key_id" text, "model" text, "price_version" text, "uncharged_nanos" bigint, "prompt_tokens" bigint, "cached_tokens" bigint, "cache_write_tokens" bigint, "completion_tokens" bigint, "reasoning_tokens" bigint, "provenance" text, "upstream" text, "attempts" integer);
insert into "entries" values (1, 'default', 'grant', 20000000000, 1794855207209, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (2, 'acme', 'grant', 20000000000, 1794855207220, 'operator-token', 'a start', 'first', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (3, 'acme', 'adjustment', -1500000000, 1794855207222, 'operator-token', 'a mistake', 'second', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (4, 'default', 'hold', 98000, 1794855207256, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-0156-75ec-aaf4-f27e5d1017fd', NULL, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (5, 'default', 'settle', 9000, 1794855207262, 'WjI098krMQZm', 'complete', NULL, 'req_01a1e5b5-0156-75ec-aaf4-f27e5d1017fd', 4, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (6, 'default', 'hold', 112000, 1794855207264, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-0160-73a2-9f16-5760b9959793', NULL, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (7, 'default', 'settle', 9000, 1794855207269, 'WjI098krMQZm', 'complete', NULL, 'req_01a1e5b5-0160-73a2-9f16-5760b9959793', 6, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (8, 'default', 'hold', 98000, 1794855207271, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-0165-72d5-a251-f46ef81fce4e', NULL, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (9, 'default', 'settle', 9000, 1794855207272, 'WjI098krMQZm', 'complete', NULL, 'req_01a1e5b5-0165-72d5-a251-f46ef81fce4e', 8, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (10, 'default', 'hold', 98000, 1794855207273, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-0169-7780-9b2e-698b98183bca', NULL, 'WjI098krMQZm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (11, 'default', 'release', 0, 1794855207274, 'WjI098krMQZm', 'upstream_error', NULL, 'req_01a1e5b5-0169-7780-9b2e-698b98183bca', 10, 'WjI098krMQZm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (12, 'acme', 'hold', 98000, 1794855207276, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-016b-7104-9863-f2c46e1c4b5a', NULL, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (13, 'acme', 'settle', 9000, 1794855207276, 'OnSbj59J3Idk', 'complete', NULL, 'req_01a1e5b5-016b-7104-9863-f2c46e1c4b5a', 12, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (14, 'acme', 'hold', 112000, 1794855207277, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-016d-74d3-8866-2e1f5cd684e3', NULL, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (15, 'acme', 'settle', 9000, 1794855207278, 'OnSbj59J3Idk', 'complete', NULL, 'req_01a1e5b5-016d-74d3-8866-2e1f5cd684e3', 14, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (16, 'acme', 'hold', 98000, 1794855207279, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-016e-7506-808f-256c0b356014', NULL, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (17, 'acme', 'settle', 9000, 1794855207279, 'OnSbj59J3Idk', 'complete', NULL, 'req_01a1e5b5-016e-7506-808f-256c0b356014', 16, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (18, 'acme', 'hold', 98000, 1794855207281, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-0170-7457-86ec-70dc5faf0677', NULL, 'OnSbj59J3Idk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (19, 'acme', 'release', 0, 1794855207281, 'OnSbj59J3Idk', 'upstream_error', NULL, 'req_01a1e5b5-0170-7457-86ec-70dc5faf0677', 18, 'OnSbj59J3Idk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (20, 'default', 'hold', 98000, 1794855210254, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-0d0c-7753-860b-6f87022a997b', NULL, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (21, 'default', 'settle', 9000, 1794855210266, 'WjI098krMQZm', 'complete', NULL, 'req_01a1e5b5-0d0c-7753-860b-6f87022a997b', 20, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (22, 'default', 'hold', 112000, 1794855210272, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-0d20-7756-af64-6787becd95c9', NULL, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (23, 'default', 'settle', 9000, 1794855210278, 'WjI098krMQZm', 'complete', NULL, 'req_01a1e5b5-0d20-7756-af64-6787becd95c9', 22, 'WjI098krMQZm', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (24, 'default', 'hold', 98000, 1794855210280, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-0d28-7712-8e31-cb06a86696d7', NULL, 'WjI098krMQZm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (25, 'default', 'release', 0, 1794855210282, 'WjI098krMQZm', 'upstream_error', NULL, 'req_01a1e5b5-0d28-7712-8e31-cb06a86696d7', 24, 'WjI098krMQZm', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (26, 'acme', 'hold', 98000, 1794855210284, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-0d2b-7015-88ae-f3b074870e0c', NULL, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (27, 'acme', 'settle', 9000, 1794855210285, 'OnSbj59J3Idk', 'complete', NULL, 'req_01a1e5b5-0d2b-7015-88ae-f3b074870e0c', 26, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (28, 'acme', 'hold', 112000, 1794855210286, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-0d2d-7693-a7ba-a7d413d64ac0', NULL, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (29, 'acme', 'settle', 9000, 1794855210287, 'OnSbj59J3Idk', 'complete', NULL, 'req_01a1e5b5-0d2d-7693-a7ba-a7d413d64ac0', 28, 'OnSbj59J3Idk', 'steady', '6b3f6ca1c50e178f', 0, 5, 1, 0, 2, 0, 'measured', 'mock', 1);
insert into "entries" values (30, 'acme', 'hold', 98000, 1794855210288, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-0d30-70fc-843d-4349ae4a1e14', NULL, 'OnSbj59J3Idk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (31, 'acme', 'release', 0, 1794855210289, 'OnSbj59J3Idk', 'upstream_error', NULL, 'req_01a1e5b5-0d30-70fc-843d-4349ae4a1e14', 30, 'OnSbj59J3Idk', 'broken', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (32, 'acme', 'hold', 113000, 1794855210290, 'OnSbj59J3Idk', 'a request', NULL, 'req_01a1e5b5-0d32-730f-b168-b263ffced21b', NULL, 'OnSbj59J3Idk', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "entries" values (33, 'default', 'hold', 113000, 1794855212794, 'WjI098krMQZm', 'a request', NULL, 'req_01a1e5b5-16f9-7490-8727-0a6e410d6c5d', NULL, 'WjI098krMQZm', 'stalled', '6b3f6ca1c50e178f', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE "prices" ("version" text primary key, "effective_at_ms" bigint not null, "source" text not null, "rates" text not null, "tiers" text not null);
insert into "prices" values ('6b3f6ca1c50e178f', 0, 'operator', '{"inputPicos":"1000000","outputPicos":"2000000","cachedInputPicos":"1000000","cacheWritePicos":"1000000","reasoningPicos":"2000000"}', '[]');
CREATE TABLE tallies (scope text not null, id text not null, credit_nanos bigint not null,
    day integer not null, day_nanos bigint not null, month integer not null, month_nanos bigint not null, total_nanos bigint not null,
    primary key (scope, id)) without rowid;
insert into "tallies" values ('account', 'acme', 18499973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('account', 'default', 19999973000, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'OnSbj59J3Idk', 0, 20773, 27000, 24322, 27000, 27000);
insert into "tallies" values ('key', 'WjI098krMQZm', 0, 20773, 27000, 24322, 27000, 27000);
CREATE TABLE tallied (only integer primary key check (only = 1), as_of_id integer not null, oldest_open_id integer not null);
insert into "tallied" values (1, 19, 20);
CREATE TABLE progress (request_id text primary key, cost_nanos bigint not null, says text not null) without rowid;
insert into "progress" values ('req_01a1e5b5-0d32-730f-b168-b263ffced21b', 28000, '{"usage":{"promptTokens":24,"completionTokens":2,"cachedTokens":0,"cacheWriteTokens":0,"reasoningTokens":0},"provenance":"estimated","upstream":"mock"}');
CREATE TABLE answers (scope text primary key, digest text not null, request_id text not null, at_ms bigint not null,
    headers text not null, body text);
insert into "answers" values ('WjI098krMQZm:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b5-0165-72d5-a251-f46ef81fce4e', 1794855207271, '{"content-type":"application/json","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
insert into "answers" values ('OnSbj59J3Idk:once', '9e14bd1ba9340aaefae4cd9b85e4f4c82bac81f2b06bd3dc6e7d230bcb911c78', 'req_01a1e5b5-016e-7506-808f-256c0b356014', 1794855207279, '{"content-type":"application/json","x-tollgate-cost":"0.000009","x-tollgate-provenance":"measured","x-tollgate-price-version":"6b3f6ca1c50e178f"}', '{"id":"chatcmpl-mock","created":1700000000,"model":"steady","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}');
CREATE TABLE changes (id integer primary key, at_ms bigint not null, actor text not null, actor_name text not null,
    address text, request_id text, action text not null, target_kind text not null, target_id text not null, account_id text,
    before text, after text, idempotency_key text, digest text);
insert into "changes" values (1, 1794855207160, 'tollgate', 'Tollgate itself', NULL, NULL, 'account.create', 'account', 'default', NULL, NULL, '{"id":"default","name":"Default"}', NULL, NULL);
insert into "changes" values (2, 1794855207202, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-0121-7158-b2e7-1be8324f8291', 'account.create', 'account', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","created_at":"2026-11-16T18:53:27.203Z","limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"5.00","month":"50.00","total":null}}', NULL, NULL);
insert into "changes" values (3, 1794855207208, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-0128-76a3-92f8-aadfc7be6828', 'credit.grant', 'account', 'default', 'default', NULL, '{"id":1,"kind":"grant","account":"default","amount":"20.00","at":"2026-11-16T18:53:27.209Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (4, 1794855207219, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-0133-7306-9428-eacd2a18265a', 'credit.grant', 'account', 'acme', 'acme', NULL, '{"id":2,"kind":"grant","account":"acme","amount":"20.00","at":"2026-11-16T18:53:27.220Z","actor":"operator-token","reason":"a start","reference":"first"}', NULL, NULL);
insert into "changes" values (5, 1794855207221, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-0135-74b9-8599-6077e6ff0301', 'credit.adjustment', 'account', 'acme', 'acme', NULL, '{"id":3,"kind":"adjustment","account":"acme","amount":"-1.50","at":"2026-11-16T18:53:27.222Z","actor":"operator-token","reason":"a mistake","reference":"second"}', NULL, NULL);
insert into "changes" values (6, 1794855207234, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-0142-7009-8ac5-d62d8832bcde', 'key.create', 'key', 'WjI098krMQZm', 'default', NULL, '{"id":"WjI098krMQZm","name":"plain","account":"default","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:27.236Z","expires_at":null,"revoked_at":null}', NULL, NULL);
insert into "changes" values (7, 1794855207239, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-0147-72ac-86d4-b6fca951014d', 'key.create', 'key', 'OnSbj59J3Idk', 'acme', NULL, '{"id":"OnSbj59J3Idk","name":"capped","account":"acme","models":["*"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":"1.00","month":null,"total":null},"created_at":"2026-11-16T18:53:27.239Z","expires_at":null,"revoked_at":null}', NULL, NULL);
insert into "changes" values (8, 1794855207241, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-0149-71b9-b247-0b5309eb1639', 'key.create', 'key', 'AWlQuENW6gBn', 'default', NULL, '{"id":"AWlQuENW6gBn","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:27.242Z","expires_at":null,"revoked_at":null}', NULL, NULL);
insert into "changes" values (9, 1794855207243, 'operator-token', 'operator token', '127.0.0.1', 'req_01a1e5b5-014b-702d-bb80-06250aeeaf9a', 'key.revoke', 'key', 'AWlQuENW6gBn', 'default', '{"id":"AWlQuENW6gBn","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:27.242Z","expires_at":null,"revoked_at":null}', '{"id":"AWlQuENW6gBn","name":"revoked","account":"default","models":["steady"],"limits":{"requests_per_minute":null,"tokens_per_minute":null,"concurrent_requests":null},"caps":{"day":null,"month":null,"total":null},"created_at":"2026-11-16T18:53:27.242Z","expires_at":null,"revoked_at":"2026-11-16T18:53:27.243Z"}', NULL, NULL);
CREATE TABLE people (id text primary key, email text not null unique, name text not null, role text not null,
    account_id text, password_hash text, issuer text, subject text, invitation_hash text unique, invitation_expires_at_ms bigint,
    session_round integer not null, token_round integer not null, created_at_ms bigint not null, disabled_at_ms bigint);
CREATE TABLE sessions (id text primary key, hash text not null unique, person_id text not null, round integer not null,
    created_at_ms bigint not null, last_seen_at_ms bigint not null, address text, user_agent text);
CREATE TABLE access_tokens (id text primary key, hash text not null, person_id text not null, round integer not null,
    name text not null, scopes text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
    last_used_at_ms bigint, revoked_at_ms bigint);
CREATE TABLE upstreams (id text primary key, declared text not null, credential text, created_at_ms bigint not null);
CREATE TABLE models (id text primary key, declared text not null, created_at_ms bigint not null);
CREATE TABLE announcements (id integer primary key, model text not null, state text not null, shutdown_date text, replacement text,
    at_ms bigint not null, actor text not null, actor_name text not null);
insert into "announcements" values (1, 'steady', 'available', NULL, NULL, 1794855207169, 'config-file', 'config file');
insert into "announcements" values (2, 'broken', 'available', NULL, NULL, 1794855207169, 'config-file', 'config file');
insert into "announcements" values (3, 'stalled', 'available', NULL, NULL, 1794855207169, 'config-file', 'config file');
CREATE UNIQUE INDEX entries_closing on entries (request_id) where kind in ('settle', 'release');
CREATE UNIQUE INDEX entries_reference on entries (account_id, reference) where reference is not null;
CREATE INDEX entries_account on entries (account_id, id) where kind <> 'hold';
CREATE INDEX answers_age on answers (at_ms);
CREATE INDEX changes_target on changes (target_kind, target_id, id);
CREATE UNIQUE INDEX changes_creation on changes (actor, idempotency_key) where idempotency_key is not null;
CREATE TRIGGER "changes_no_update" before update on changes
      begin select raise(abort, 'the audit log is append-only'); end;
CREATE TRIGGER "changes_no_delete" before delete on changes
      begin select raise(abort, 'the audit log is append-only'); end;
CREATE INDEX keys_age on keys (created_at_ms, id);
CREATE INDEX keys_account on keys (account_id, created_at_ms, id);
CREATE INDEX people_age on people (created_at_ms, id);
CREATE UNIQUE INDEX people_identity on people (issuer, subject) where issuer is not null;
CREATE INDEX announcements_model on announcements (model, id);
