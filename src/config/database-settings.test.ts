import { expect, test } from "bun:test";
import { ConfigError } from "./config-error.ts";
import { readDatabase } from "./database-settings.ts";

const NAMES = {
  databaseUrl: "TOLLGATE_DATABASE_URL",
  admitSeconds: "TOLLGATE_ADMIT_SECONDS",
  shared: ["TOLLGATE_SECRET", "TOLLGATE_HASH_SECRET"],
};
const COMPLETE = {
  TOLLGATE_DATABASE_URL: "postgres://gate:pass-word@db:5432/tollgate",
  TOLLGATE_SECRET: "one",
  TOLLGATE_HASH_SECRET: "two",
};

function messageOf(env: Record<string, string>): string {
  try {
    readDatabase(env, NAMES);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "accepted";
}

test("without an address there is no database", () => {
  expect(readDatabase({ DATABASE_URL: "postgres://other@db/app" }, NAMES)).toBeUndefined();
});

test("an address needs the secrets that processes share", () => {
  expect(readDatabase(COMPLETE, NAMES)?.url.reveal()).toBe(COMPLETE.TOLLGATE_DATABASE_URL);
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
  expect(readDatabase(COMPLETE, NAMES)?.admitSeconds).toBe(10);
  expect(readDatabase({ ...COMPLETE, TOLLGATE_ADMIT_SECONDS: "30" }, NAMES)?.admitSeconds).toBe(30);
  expect(messageOf({ ...COMPLETE, TOLLGATE_ADMIT_SECONDS: "1" })).toContain("between 2 and 300");
  expect(messageOf({ TOLLGATE_ADMIT_SECONDS: "30" })).toContain("no effect without TOLLGATE_DATABASE_URL");
});
