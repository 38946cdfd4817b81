import { describe, expect, test } from "bun:test";
import { refuseWeak } from "./weak-passwords.ts";

const ADA = { email: "ada.lovelace@example.test", name: "Ada Lovelace" };

function problemOf(password: string): string {
  try {
    refuseWeak(password, ADA, "password");
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

describe("a password is rejected", () => {
  test.each([
    "aaaaaaaaaaaa",
    "111111111111",
    "abababababab",
    "abcdabcdabcd",
    "hunter2hunter2",
    "xyz!7xyz!7xyz",
    "            ",
    "passwordpassword",
    "letmeinletmein",
  ])("that repeats a few characters: %s", (password) =>
    expect(problemOf(password)).toBe("password must not repeat the same few characters. A few unrelated words are better."),
  );

  test.each([
    "123456789012",
    "0987654321098",
    "qwertyuiop12",
    "QWERTYUIOP[]",
    "abcdefghijkl",
    "1q2w3e4r5t6y",
    "1qaz2wsx3edc",
    "asdfghjkl;'zx",
    "password1234",
    "Password2026!",
    "P@ssw0rd2026",
    "administrator",
    "admin-admin-1",
    "Welcome2026!!",
    "iloveyou1234",
    "changeme12345",
    "Summer2026!!!",
    "ｐａｓｓｗｏｒｄ１２３４",
    "tollgate1234",
    "Tollgate2026!",
    "T0llg@te-2026",
    "gateway-admin",
    "ADA.lovelace@example.test",
    "ada lovelace",
    "lovelace1234",
    "AdaLovelace1815",
    "ada-example-1",
  ])("that is made of what others would try first: %s", (password) => {
    expect(problemOf(password)).toBe(
      "password must not be made of common passwords, sequences such as 1234 or qwerty, or your name or email address. A few unrelated words are better.",
    );
  });
});

describe("a password is accepted", () => {
  test.each([
    "correct horse battery",
    "another correct horse",
    "a new one, long enough",
    "Zug nach Ulm um vier",
    "смелый зелёный чайник",
    "東京の空は今日も青い。明日は",
    "my password is a yak",
    "ada writes engines at night",
    "tollgate keeper's lantern",
    "v8#Kq2!mZr0w",
    "nP3xuT9aLw6e",
    "9f86d081884c7d65",
  ])("that has something of its own: %s", (password) => expect(problemOf(password)).toBe(""));
});
