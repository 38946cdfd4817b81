import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { WINDOW_LIMITS } from "../../../money/limits.ts";
import { UsageError } from "../../command.ts";
import { parseArguments } from "../../parse-arguments.ts";
import { readFields } from "../../platform-command.ts";
import { createModel } from "./models.ts";
import { completeModel } from "./options.ts";

/** The fields that these arguments become, without the ID. */
function fieldsOf(...words: string[]): Record<string, unknown> {
  const command = { ...createModel, call: "POST /api/models" } as const;
  const { id: _id, ...fields } = completeModel(readFields(command, parseArguments("models create", ["m", ...words], command)));
  return fields;
}

const ROUTE = ["--route", "up/a"];

test("--accounts is a list, or none for every account", () => {
  expect(fieldsOf(...ROUTE, "--accounts", "acme, beta")).toMatchObject({ accounts: ["acme", "beta"] });
  expect(fieldsOf(...ROUTE, "--accounts", "none")).toMatchObject({ accounts: null });
});

describe("--route", () => {
  const routes: [string, object][] = [
    ["up/a", { upstream: "up", model: "a" }],
    ["up/a/b,c", { upstream: "up", model: "a/b,c" }],
    ["up/a=b", { upstream: "up", model: "a=b" }],
    [
      "up/a,default.temperature=0.2,default.reasoning_effort=low,default.store=true",
      { upstream: "up", model: "a", defaults: { temperature: 0.2, reasoning_effort: "low", store: true } },
    ],
    ["up/a,priority=2", { upstream: "up", model: "a", priority: 2 }],
    [
      "up/a,requests-per-minute=60,tokens-per-minute=1000",
      { upstream: "up", model: "a", limits: { requests_per_minute: 60, tokens_per_minute: 1000 } },
    ],
    ["up/a,b,weight=3,priority=2", { upstream: "up", model: "a,b", priority: 2, weight: 3 }],
    [
      "up/a,max-input-price=1.5,max-output-price=2",
      { upstream: "up", model: "a", max_price: { input_per_million: 1.5, output_per_million: 2 } },
    ],
    [
      "up/a,input-cost=1.5,output-cost=2,cached-input-cost=0.5",
      { upstream: "up", model: "a", cost: { input_per_million: 1.5, output_per_million: 2, cached_input_per_million: 0.5 } },
    ],
  ];
  test.each(routes)("%s", (given, route) => {
    expect(fieldsOf("--route", given)).toEqual({ routes: [route] });
  });

  test("reads the values of headers from files, and none removes one", () => {
    const file = join(mkdtempSync(join(tmpdir(), "tollgate-header-")), "queue.txt");
    writeFileSync(file, "canary-value\n");
    expect(fieldsOf("--route", `up/a,header.x-queue=${file},header.x-old=none,weight=2`)).toEqual({
      routes: [{ upstream: "up", model: "a", weight: 2, headers: { "x-queue": "canary-value", "x-old": null } }],
    });
    rmSync(dirname(file), { recursive: true });
    expect(() => fieldsOf("--route", "up/a,header.x-queue=canary-value")).toThrow(
      "header.x-queue of --route takes the path of a file: the file does not exist",
    );
  });

  test("is repeatable, in order", () => {
    expect(fieldsOf("--route", "up/a", "--route", "other/b,priority=2")).toEqual({
      routes: [
        { upstream: "up", model: "a" },
        { upstream: "other", model: "b", priority: 2 },
      ],
    });
  });

  const rejected: [string, string][] = [
    ["up", "--route must be an upstream and its model"],
    ["up/,priority=2", "--route must be an upstream and its model"],
    [
      "up/a,prio=2",
      `--route has an unknown field prio; the fields are priority, weight, ${WINDOW_LIMITS.map(({ option }) => option).join(", ")}, max-input-price`,
    ],
    ["up/a,priority=first", "priority of --route must be a whole number"],
    ["up/a,max-input-price=cheap", "max-input-price of --route must be an amount in dollars"],
  ];
  test.each(rejected)("%s is rejected", (given, message) => {
    expect(() => fieldsOf("--route", given)).toThrow(message);
  });

  test("is required, and may not be empty", () => {
    expect(() => fieldsOf()).toThrow("give at least one route");
    expect(() => fieldsOf("--route", "")).toThrow("give at least one route");
  });
});

describe("--parameter", () => {
  test("is repeatable", () => {
    const words = ["a=drop", "b=refuse", "c=pass", "d=rename:e=f"].flatMap((each) => ["--parameter", each]);
    expect(fieldsOf(...ROUTE, ...words)).toMatchObject({ parameters: { a: "drop", b: "refuse", c: "pass", d: { rename: "e=f" } } });
    expect(fieldsOf(...ROUTE, "--parameter", "none")).toMatchObject({ parameters: null });
  });

  test.each(["a", "a=", "=drop", "a=keep", "a=rename:"])("%s is rejected", (given) => {
    expect(() => fieldsOf(...ROUTE, "--parameter", given)).toThrow(UsageError);
  });

  test("none cannot be combined", () => {
    expect(() => fieldsOf(...ROUTE, "--parameter", "a=drop", "--parameter", "none")).toThrow(
      "--parameter none cannot be combined with other parameters",
    );
  });
});

describe("--fallback-model", () => {
  test("is repeatable, with its conditions, and none clears", () => {
    const words = ["a", "b,c,on=context_length", "d,on=error+content_filter"].flatMap((each) => ["--fallback-model", each]);
    expect(fieldsOf(...ROUTE, ...words)).toMatchObject({
      fallback_models: [
        { model: "a", on: ["error"] },
        { model: "b,c", on: ["context_length"] },
        { model: "d", on: ["error", "content_filter"] },
      ],
    });
    expect(fieldsOf(...ROUTE, "--fallback-model", "none")).toMatchObject({ fallback_models: null });
  });

  test.each(["a,on=rain", "a,on="])("%s is rejected", (given) => {
    expect(() => fieldsOf(...ROUTE, "--fallback-model", given)).toThrow("the conditions are error, context_length, content_filter");
  });

  test("none cannot be combined", () => {
    expect(() => fieldsOf(...ROUTE, "--fallback-model", "a", "--fallback-model", "none")).toThrow("cannot be combined");
  });
});

test("an option that is not repeatable is rejected the second time", () => {
  expect(() => fieldsOf(...ROUTE, "--free", "yes", "--free", "no")).toThrow("--free is given more than once");
});

test("--cache-ttl none turns the cache off, and --sticky none resets session affinity", () => {
  expect(fieldsOf(...ROUTE, "--cache-ttl", "none", "--sticky", "none")).toMatchObject({ cache: null, sticky: null });
  expect(fieldsOf(...ROUTE, "--cache-ttl", "30m", "--sticky", "yes")).toMatchObject({ "cache.ttl_seconds": 1800, sticky: true });
  expect(() => fieldsOf(...ROUTE, "--sticky", "perhaps")).toThrow("--sticky must be one of yes, no, true, false, none");
});

test("a mirror needs its upstream, model and percentage, and none removes it", () => {
  const mirror = ["--mirror-upstream", "old", "--mirror-model", "openai/gpt"];
  expect(fieldsOf(...ROUTE, ...mirror, "--mirror-percent", "2.5")).toMatchObject({
    "mirror.upstream": "old",
    "mirror.model": "openai/gpt",
    "mirror.percent": 2.5,
  });
  expect(fieldsOf(...ROUTE, "--mirror-upstream", "none")).toMatchObject({ mirror: null });
  expect(() => fieldsOf(...ROUTE, ...mirror)).toThrow("--mirror-upstream, --mirror-model and --mirror-percent go together");
  expect(() => fieldsOf(...ROUTE, "--mirror-upstream", "none", "--mirror-percent", "5")).toThrow("omit --mirror-model");
  expect(() => fieldsOf(...ROUTE, ...mirror, "--mirror-percent", "5%")).toThrow("must be a percentage such as 5 or 0.5");
});

test("--cache-price needs a TTL, and a TTL is a duration of at most 30 days", () => {
  expect(fieldsOf(...ROUTE, "--cache-ttl", "30d", "--cache-price", "5")).toMatchObject({
    "cache.ttl_seconds": 2_592_000,
    "cache.price_percent": 5,
  });
  expect(() => fieldsOf(...ROUTE, "--cache-price", "5")).toThrow("--cache-price needs --cache-ttl too: --cache-ttl 24h --cache-price 10");
  expect(() => fieldsOf(...ROUTE, "--cache-price", "5", "--cache-ttl", "none")).toThrow("omit --cache-price");
  for (const wrong of ["0", "31d", "3600", "soon"]) {
    expect(() => fieldsOf(...ROUTE, "--cache-ttl", wrong)).toThrow(
      "--cache-ttl must be a duration such as 30m, 24h or 7d (at most 30d), or none",
    );
  }
});
