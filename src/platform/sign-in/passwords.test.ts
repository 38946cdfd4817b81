import { describe, expect, test } from "bun:test";
import { Passwords } from "./passwords.ts";

test("a password is hashed with Argon2id by OWASP's parameters, and verified", async () => {
  const passwords = new Passwords();
  const hash = await passwords.hash("correct horse battery");
  expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await passwords.verify("correct horse battery", hash, false)).toBe(true);
  expect(await passwords.verify("correct horse batterx", hash, false)).toBe(false);
});

test("equivalent Unicode forms are the same password", async () => {
  const passwords = new Passwords();
  expect(await passwords.verify("se\u0301same ouvre-toi", await passwords.hash("s\u00E9same ouvre-toi"), false)).toBe(true);
});

test("without a password hash the check takes as long, and always fails", async () => {
  const compared: string[] = [];
  const passwords = new Passwords({
    hash: async () => "",
    verify: async (_password, hash) => {
      compared.push(hash as string);
      return true;
    },
  });
  expect(await passwords.verify("anything", null, false)).toBe(false);
  expect(compared).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) as string]);
});

/** Work that ends when the test calls `endOne`. */
function holdWork(): { passwords: Passwords; started: () => number; endOne: (fails?: boolean) => void } {
  const ends: ((fails: boolean) => void)[] = [];
  let started = 0;
  const hash = (): Promise<string> => {
    started++;
    return new Promise((resolve, reject) => ends.push((fails) => (fails ? reject(new Error("no memory")) : resolve("hash"))));
  };
  const passwords = new Passwords({ hash, verify: async () => true });
  return { passwords, started: () => started, endOne: (fails = false) => ends.shift()!(fails) };
}

describe("password hashing runs two at a time", () => {
  test("the others queue, also after a failure", async () => {
    const { passwords, started, endOne } = holdWork();
    const all = Array.from({ length: 4 }, () => passwords.hash("a"));
    await Bun.sleep(0);
    expect(started()).toBe(2);
    endOne(true);
    expect(all[0]).rejects.toThrow("no memory");
    await Bun.sleep(0);
    expect(started()).toBe(3);
    endOne();
    await Bun.sleep(0);
    expect(started()).toBe(4);
    endOne();
    endOne();
    expect(await Promise.all(all.slice(1))).toEqual(["hash", "hash", "hash"]);
    void passwords.hash("b");
    void passwords.hash("c");
    await Bun.sleep(0);
    expect(started()).toBe(6);
  });

  test("and a full queue rejects the next", async () => {
    const { passwords, started } = holdWork();
    for (let at = 0; at < 52; at++) void passwords.hash("a");
    const refused: unknown = await Promise.race([passwords.hash("a").catch((error: unknown) => error), Bun.sleep(1000)]);
    expect(refused).toMatchObject({ code: "overloaded", retryAfterSeconds: 5 });
    expect(started()).toBe(2);
  });
});

/** Fills both slots and the queue of fifty, all with strangers. `compared` are the passwords in the order in which they are compared. */
function fill(): { passwords: Passwords; compared: string[]; endOne: () => void } {
  const compared: string[] = [];
  const ends: (() => void)[] = [];
  const verify = (password: unknown): Promise<boolean> => {
    compared.push(password as string);
    return new Promise((resolve) => ends.push(() => resolve(true)));
  };
  const passwords = new Passwords({ hash: async () => "hash", verify });
  for (let at = 0; at < 52; at++) void passwords.verify("stranger", null, false);
  return { passwords, compared, endOne: () => ends.shift()!() };
}

describe("strangers who fill their queue", () => {
  test("do not block authenticated people, who are served first", async () => {
    const { passwords, compared, endOne } = fill();
    expect(passwords.verify("stranger", null, false)).rejects.toMatchObject({ code: "overloaded" });
    void passwords.verify("known", "hash", true);
    endOne();
    await Bun.sleep(0);
    expect(compared).toEqual(["stranger", "stranger", "known"]);
  });

  test("and the queue of authenticated people is bounded too", () => {
    const { passwords } = fill();
    for (let at = 0; at < 50; at++) void passwords.verify("known", "hash", true);
    expect(passwords.verify("known", "hash", true)).rejects.toMatchObject({ code: "overloaded" });
  });
});
