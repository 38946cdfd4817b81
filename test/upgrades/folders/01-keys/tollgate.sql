CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
insert into "kysely_migration" values ('0001-keys', '2026-11-16T18:53:00.728Z');
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
insert into "kysely_migration_lock" values ('migration_lock', 0);
CREATE TABLE "keys" ("id" text primary key, "name" text not null, "hash" text not null, "models" text not null, "created_at_ms" bigint not null, "expires_at_ms" bigint, "revoked_at_ms" bigint);
insert into "keys" values ('M7FePv3viNRk', 'plain', '9cb43aa589f42d4b9f2afd4c67abc984685051b6fca2b237033967f4b6130bf2', '["*"]', 1794855180878, NULL, NULL);
insert into "keys" values ('98YzqwvzUDiA', 'revoked', '6ca658fe7403986004fa18ce72f820dd1c08c5dc4ac7e86ee220f7c0cdd24487', '["steady"]', 1794855180891, NULL, 1794855180909);
