import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Operation } from "../../src/platform/operation.ts";
import { formatPath, type Path } from "../../src/lib/schema/schema.ts";
import { fieldsIn, WITH_BODY, type Field } from "../support/body-fields.ts";
import { OPERATOR, openPlatform, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

let opened: PlatformInProcess;
beforeAll(async () => {
  opened = await openPlatform();
});
afterAll(() => opened.stop());

describe.each(WITH_BODY.map((each): [string, Operation] => [`${each.method} ${each.path}`, each]))("%s", (_, { operationId, body }) => {
  test.each(fieldsIn(body!).map((field): [string, Field] => [formatPath(field.path), field]))(
    "takes null for %s where its schema says so, and refuses it elsewhere",
    async (name, { path, schema }) => {
      const params = { id: "none", key: "none" };
      const { status, text } = await opened.call(OPERATOR, operationId, { params, body: nullAt(path) as object });
      if (schema.nullable) expect(text).not.toContain("null");
      else expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`^${escaped(name)} must not be null\\. `)) as string]);
    },
  );
});

test("fields accept null in a creation and in a change alike", () => {
  for (const { path, body, operationId } of WITH_BODY.filter(({ method }) => method === "PATCH")) {
    const creation = WITH_BODY.find((each) => each.method === "POST" && `${each.path}/:id` === path);
    if (!creation) continue;
    const changed = fieldsIn(body!);
    const created = fieldsIn(creation.body!).filter((field) => changed.some((each) => formatPath(each.path) === formatPath(field.path)));
    expect(created.length, operationId).toBeGreaterThan(0);
    for (const { path: at, schema } of created) {
      const name = formatPath(at);
      const { nullable = false } = changed.find((each) => formatPath(each.path) === name)!.schema;
      expect([operationId, name, nullable]).toEqual([operationId, name, schema.nullable ?? false]);
    }
  }
});

test("null grants nothing: neither all models nor another account", async () => {
  const account = await opened.call(OPERATOR, "createAccount", { body: { id: "team", name: "Team", models: null } });
  const key = await opened.call(OPERATOR, "createKey", { body: { name: "k", models: ["*"], account: null } });
  expect([account.text, key.text]).toEqual([
    "models must not be null. Set a value, or omit it.",
    "account must not be null. Set a value, or omit it.",
  ]);
});

test("a model can be created from its own reply, with null for absent fields", async () => {
  await opened.call(OPERATOR, "createUpstream", { body: { id: "e", dialect: "echo" } });
  const route = { upstream: "e", model: "m", max_price: null };
  const none = {
    context_window: null,
    max_output_tokens: null,
    unknown_parameters: null,
    sticky: null,
    cache: null,
    mirror: null,
    accounts: null,
    timeouts: null,
  };
  const given = { id: "m", free: true, routes: [route], ...none, fallback_models: null };
  const { status, body } = await opened.call(OPERATOR, "createModel", { body: given });
  expect([status, body]).toEqual([201, expect.objectContaining({ ...none, timeouts: {}, routes: [expect.objectContaining(route)] })]);
});

function nullAt([step, ...rest]: Path): unknown {
  if (step === undefined) return null;
  return typeof step === "number" ? [nullAt(rest)] : { [step]: nullAt(rest) };
}

function escaped(text: string): string {
  return text.replaceAll(/[[\].]/g, String.raw`\$&`);
}
