import { expect, test } from "bun:test";
import { ConfigError } from "./config-error.ts";
import { readDatabase, readDurability } from "./database-settings.ts";

const NAMES = {
  durability: "TOLLGATE_DURABILITY",
  databaseUrl: "TOLLGATE_DATABASE_URL",
  admitSeconds: "TOLLGATE_ADMIT_SECONDS",
  role: "TOLLGATE_ROLE",
  processes: "TOLLGATE_PROCESSES",
  shared: ["TOLLGATE_SECRET", "TOLLGATE_HASH_SECRET"],
};
const COMPLETE = {
  TOLLGATE_DATABASE_URL: "postgres://gate:pass-word@db:5432/tollgate",
  TOLLGATE_SECRET: "one",
  TOLLGATE_HASH_SECRET: "two",
};

const ONE = { role: undefined, processes: 1 };

function messageOf(env: Record<string, string>, options: Parameters<typeof readDatabase>[2] = ONE): string {
  try {
    readDurability(env, NAMES, readDatabase(env, NAMES, options));
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "accepted";
}

test("without an address there is no database", () => {
  expect(readDatabase({ DATABASE_URL: "postgres://other@db/app" }, NAMES, ONE)).toBeUndefined();
});

test("an address needs the secrets that processes share", () => {
  expect(readDatabase(COMPLETE, NAMES, ONE)?.url.reveal()).toBe(COMPLETE.TOLLGATE_DATABASE_URL);
  expect(messageOf({ ...COMPLETE, TOLLGATE_SECRET: "" })).toContain("TOLLGATE_SECRET is not");
  expect(messageOf({ ...COMPLETE, TOLLGATE_HASH_SECRET: "" })).toContain("TOLLGATE_HASH_SECRET is not");
});

test("an address of something else is refused, without its password", () => {
  for (const url of ["mysql://gate:pass-word@db/tollgate", "postgres://gate:pass-word@db", "gate:pass-word@db"]) {
    const message = messageOf({ ...COMPLETE, TOLLGATE_DATABASE_URL: url });
    expect(message).toContain("must be the address of a PostgreSQL database");
    expect(message).not.toContain("pass-word");
  }
});

test("the time without the database is 10 seconds, or as set", () => {
  expect(readDatabase(COMPLETE, NAMES, ONE)?.admitSeconds).toBe(10);
  expect(readDatabase({ ...COMPLETE, TOLLGATE_ADMIT_SECONDS: "30" }, NAMES, ONE)?.admitSeconds).toBe(30);
  expect(messageOf({ ...COMPLETE, TOLLGATE_ADMIT_SECONDS: "1" })).toContain("between 2 and 300");
  expect(messageOf({ TOLLGATE_ADMIT_SECONDS: "30" })).toContain("no effect without TOLLGATE_DATABASE_URL");
});

test("a process serves everything, or what its option or its variable says", () => {
  expect(readDatabase(COMPLETE, NAMES, ONE)?.role).toBe("all");
  expect(readDatabase({ ...COMPLETE, TOLLGATE_ROLE: "gateway" }, NAMES, ONE)?.role).toBe("gateway");
  expect(readDatabase({ ...COMPLETE, TOLLGATE_ROLE: "gateway" }, NAMES, { ...ONE, role: "platform" })?.role).toBe("platform");
  expect(messageOf({ ...COMPLETE, TOLLGATE_ROLE: "owner" })).toBe('TOLLGATE_ROLE must be one of all, gateway, platform, not "owner"');
  expect(messageOf(COMPLETE, { ...ONE, role: "single" })).toBe('--role must be one of all, gateway, platform, not "single"');
  expect(messageOf({ TOLLGATE_ROLE: "gateway" })).toBe("TOLLGATE_ROLE has no effect without TOLLGATE_DATABASE_URL");
  expect(messageOf({}, { ...ONE, role: "all" })).toBe("--role has no effect without TOLLGATE_DATABASE_URL");
});

test("several processes serve model clients, and a platform serves none: the message names both settings", () => {
  const message = messageOf(COMPLETE, { role: "platform", processes: 4 });
  expect(message).toContain("TOLLGATE_PROCESSES (--processes) is 4 and the role is platform");
  expect(messageOf({ ...COMPLETE, TOLLGATE_ROLE: "platform" }, { ...ONE, processes: 4 })).toBe(message);
  expect(messageOf(COMPLETE, { role: "gateway", processes: 4 })).toBe("accepted");
  expect(messageOf(COMPLETE, { ...ONE, processes: 4 })).toBe("accepted");
  expect(messageOf({}, { ...ONE, processes: 4 })).toBe("accepted");
});

test("charges survive the loss of a machine only where processes share a database, and a lost process does not admit requests", () => {
  const cluster = { ...COMPLETE, TOLLGATE_DURABILITY: "cluster" };
  expect(readDurability({}, NAMES, undefined)).toBe("process");
  expect(readDurability({ TOLLGATE_DURABILITY: "power" }, NAMES, undefined)).toBe("power");
  expect(readDurability(cluster, NAMES, readDatabase(cluster, NAMES, ONE))).toBe("cluster");
  expect(messageOf({ TOLLGATE_DURABILITY: "cluster" })).toContain("TOLLGATE_DATABASE_URL is not set");
  expect(messageOf({ ...cluster, TOLLGATE_ADMIT_SECONDS: "20" })).toBe("accepted");
  expect(messageOf({ ...cluster, TOLLGATE_ADMIT_SECONDS: "21" })).toContain("TOLLGATE_ADMIT_SECONDS is 21");
  expect(messageOf({ ...COMPLETE, TOLLGATE_ADMIT_SECONDS: "21" })).toBe("accepted");
});
