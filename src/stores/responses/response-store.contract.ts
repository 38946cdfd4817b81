import { beforeEach, describe, expect, test } from "bun:test";
import { MAX_RESPONSE_BYTES, type CachedResponse, type ResponseStore } from "./response-store.ts";

const usage = { promptTokens: 5, completionTokens: 2, cachedTokens: 1, cacheWriteTokens: 0, reasoningTokens: 0 };

export function responseOf(...pieces: readonly string[]): CachedResponse {
  return { pieces, usage, uncountedBytes: 0, promptTokens: 5, dropped: [] };
}

/** Contract tests for every implementation of this port. */
export function responseStoreContract(name: string, open: () => ResponseStore): void {
  describe(`${name} implements ResponseStore`, () => {
    let store: ResponseStore;
    beforeEach(() => (store = open()));

    test("returns a response under its key, and under no other", () => {
      const stream = { ...responseOf('{"a":1}', "ö\ud83d\ude00\n"), endEvents: ["{}"], dropped: ["seed"] };
      const uncounted = { ...responseOf("x"), usage: undefined, uncountedBytes: 9 };
      store.store("a", stream, 10);
      store.store("b", uncounted, 10);
      expect(store.find("a", 0)).toEqual(stream);
      expect(store.find("b", 0)).toEqual(uncounted);
      expect(store.find("c", 0)).toBeUndefined();
    });

    test("returns a response until it expires", () => {
      store.store("a", responseOf("x"), 1000);
      expect(store.find("a", 999)).toBeDefined();
      expect(store.find("a", 1000)).toBeUndefined();
    });

    test("a later response under the same key replaces the earlier one and its expiry", () => {
      store.store("a", responseOf("old"), 1000);
      store.store("a", responseOf("new"), 2000);
      expect(store.find("a", 1500)?.pieces).toEqual(["new"]);
    });

    test("a response that is too large is not cached, and removes the one before it", () => {
      store.store("a", responseOf("x"), 1000);
      store.store("a", responseOf("x".repeat(MAX_RESPONSE_BYTES)), 1000);
      expect(store.find("a", 0)).toBeUndefined();
      store.store("a", responseOf("x".repeat(MAX_RESPONSE_BYTES - 1000)), 1000);
      expect(store.find("a", 0)).toBeDefined();
    });
  });
}
