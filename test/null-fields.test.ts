import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Operation } from "../src/platform/operation.ts";
import { operations } from "../src/platform/operations.ts";
import type { Platform } from "../src/platform/platform.ts";
import { formatPath, type Path, type Schema } from "../src/vocabulary/schema.ts";
import { OPERATOR, openPlatform, type PlatformInProcess } from "./platform-in-process.ts";

interface Field {
  readonly path: Path;
  readonly isNullable: boolean;
}

let opened: PlatformInProcess;
beforeAll(async () => {
  opened = await openPlatform();
});
afterAll(() => opened.stop());

/** Only its schemas are read: nothing of it runs. */
const table = operations({} as Platform).filter(({ body, passesBodyOn }) => body && !passesBodyOn);

describe.each(table.map((each): [string, Operation] => [`${each.method} ${each.path}`, each]))("%s", (_, { operationId, body }) => {
  test.each(fieldsIn(body!).map((field): [string, Field] => [formatPath(field.path), field]))(
    "takes null for %s where its schema says so, and refuses it elsewhere",
    async (name, { path, isNullable }) => {
      const params = { id: "none", key: "none" };
      const { status, text } = await opened.call(OPERATOR, operationId, { params, body: nullAt(path) as object });
      if (isNullable) expect(text).not.toContain("null");
      else expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`^${escaped(name)} must not be null\\. `)) as string]);
    },
  );
});

test("what is created with null can be changed to it, and the other way round", () => {
  for (const { path, body, operationId } of table.filter(({ method }) => method === "PATCH")) {
    const creation = table.find((each) => each.method === "POST" && `${each.path}/:id` === path);
    if (!creation) continue;
    const changed = fieldsIn(body!);
    const created = fieldsIn(creation.body!).filter((field) => changed.some((each) => isSame(each, field)));
    expect(created.length, operationId).toBeGreaterThan(0);
    for (const field of created) expect(changed, creation.operationId).toContainEqual(field);
  }
});

test("without a meaning, null opens nothing: neither every model nor another account", async () => {
  const account = await opened.call(OPERATOR, "createAccount", { body: { id: "team", name: "Team", models: null } });
  const key = await opened.call(OPERATOR, "createKey", { body: { name: "k", models: ["*"], account: null } });
  expect([account.text, key.text]).toEqual([
    "models must not be null. Give it a value, or leave it out.",
    "account must not be null. Give it a value, or leave it out.",
  ]);
});

test("a model can be created as it is shown: with null for what it does not have", async () => {
  await opened.call(OPERATOR, "createUpstream", { body: { id: "e", dialect: "echo" } });
  const route = { upstream: "e", model: "m", max_price: null };
  const none = { context_window: null, max_output_tokens: null, unknown_parameters: null, sticky: null, cache: null, timeouts: null };
  const { status, body } = await opened.call(OPERATOR, "createModel", { body: { id: "m", free: true, routes: [route], ...none } });
  expect([status, body]).toEqual([201, expect.objectContaining({ ...none, timeouts: {}, routes: [expect.objectContaining(route)] })]);
});

/** Every field that a body can have, at any depth. */
function fieldsIn({ properties = {}, items }: Schema, path: Path = []): Field[] {
  const parts: [string | number, Schema][] = [...Object.entries(properties), ...(items ? [[0, items] as [number, Schema]] : [])];
  return parts.flatMap(([step, schema]) => {
    const here = [...path, step];
    return [{ path: here, isNullable: schema.nullable ?? false }, ...fieldsIn(schema, here)];
  });
}

function nullAt([step, ...rest]: Path): unknown {
  if (step === undefined) return null;
  return typeof step === "number" ? [nullAt(rest)] : { [step]: nullAt(rest) };
}

function isSame(one: Field, other: Field): boolean {
  return formatPath(one.path) === formatPath(other.path);
}

function escaped(text: string): string {
  return text.replaceAll(/[[\].]/g, String.raw`\$&`);
}
