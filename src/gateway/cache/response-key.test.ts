import { expect, test } from "bun:test";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { plainModel, type Model } from "../../models/catalog.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import { FREE } from "../../money/price.ts";
import type { FindUpstream } from "../gateway.ts";
import { responseKey } from "./serve-cached.ts";

const model = plainModel("m", { upstream: "u", upstreamModel: "their-m" });
const [route] = model.routes as [Model["routes"][number]];
const chat = chatOf({ model: "m", messages: [{ role: "user", content: "hi" }] });

function upstreamAt(baseUrl: string): FindUpstream {
  const settings = remoteAt("u", undefined, { baseUrl, allowPrivate: false }, []);
  return () => ({ settings }) as Upstream;
}
const here = upstreamAt("https://here.example/v1");

test("another account, model, body or format has another key, and parts cannot be shifted into each other", () => {
  const keys = [
    responseKey(chat, model, "a", here),
    responseKey(chat, model, "am", here),
    responseKey(chat, { ...model, id: "mm" }, "a", here),
    responseKey(chatOf({ ...chat.body, stream: true }), model, "a", here),
    responseKey(chatOf({ ...chat.body, seed: 1 }), model, "a", here),
    responseKey(chatOf({ ...chat.body, messages: [{ role: "user", content: null }] }), model, "a", here),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

test("another upstream or other parameters have another key", () => {
  const changed: Model[] = [
    { ...model, routes: [{ ...route, upstreamModel: "their-n" }] },
    { ...model, routes: [{ ...route, upstream: "v" }] },
    { ...model, routes: [route, { ...route, upstream: "v" }] },
    { ...model, parameters: { seed: "drop" } },
    { ...model, maxOutputTokens: 10 },
  ];
  const keys = [model, ...changed].map((each) => responseKey(chat, each, "a", here));
  keys.push(responseKey(chat, model, "a", upstreamAt("https://there.example/v1")));
  keys.push(responseKey(chat, model, "a", () => undefined));
  expect(new Set(keys).size).toBe(keys.length);
});

test("another price, weight or state has the same key", () => {
  const state = { name: "deprecated", shutdownDate: "2030-01-01", replacement: "n" } as const;
  const changed: Model = { ...model, state, prices: [FREE], routes: [{ ...route, weight: 9, priority: 2 }] };
  expect(responseKey(chat, changed, "a", here)).toBe(responseKey(chat, model, "a", here));
});
