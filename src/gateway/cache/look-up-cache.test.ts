import { expect, test } from "bun:test";
import { MemoryResponseStore } from "../../stores/responses/memory-response-store.ts";
import type { CachedResponse } from "../../stores/responses/response-store.ts";
import { plainModel } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Gateway } from "../gateway.ts";
import { lookUpCache } from "./serve-cached.ts";

test("a cached response expires when its time has passed, however the system clock is set", () => {
  const clock = { systemMs: Date.parse("2027-03-10"), monotonicMs: 5000 };
  const responses = new MemoryResponseStore();
  const gateway = { responses, nowMs: () => clock.systemMs, monotonicMs: () => clock.monotonicMs } as unknown as Gateway;
  const model = plainModel("m", { upstream: "u", upstreamModel: "m" });
  const chat = { outline: {}, stream: false, body: { messages: [] }, text: "{}" } as unknown as ChatRequest;
  const find = () => lookUpCache(chat, model, "acme", new Headers(), () => undefined, gateway)!;
  const response = { pieces: ["{}"], promptTokens: 1, dropped: [] } as unknown as CachedResponse;
  responses.store(find().key, response, clock.monotonicMs + 1000);
  clock.systemMs += 86_400_000;
  clock.monotonicMs += 999;
  expect(find().hit).toEqual(response);
  clock.systemMs -= 2 * 86_400_000;
  clock.monotonicMs += 1;
  expect(find().hit).toBeUndefined();
});
