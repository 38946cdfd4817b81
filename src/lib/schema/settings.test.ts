import { expect, test } from "bun:test";
import {
  changeValues,
  fieldsOf,
  initialValues,
  plainSetting,
  restoreValues,
  setting,
  showValues,
  storeValues,
  valuesInFile,
} from "./settings.ts";

const SETTINGS = {
  isLoud: plainSetting("loud", { type: "boolean" }, false),
  alias: plainSetting("alias", { type: "string", nullable: true }, null),
  size: plainSetting(
    "size",
    { type: "object", required: ["width"], additionalProperties: false, properties: { width: { type: "integer" } } },
    { width: 1 },
  ),
  /** In minutes; in a file in hours. */
  rest: setting({
    wire: { rest_minutes: { type: "integer", minimum: 0 } },
    file: { rest_hours: { type: "integer", minimum: 0 } },
    fromFile: ({ rest_hours: hours }, fail) =>
      hours === undefined ? {} : { rest_minutes: hours > 24 ? fail(["rest_hours"], "is more than a day") : hours * 60 },
    initial: 600_000,
    change: (ms, { rest_minutes: minutes }) => (minutes === undefined ? ms : minutes * 60_000),
    show: (ms) => ({ rest_minutes: ms / 60_000 }),
  }),
};

const fail = (path: readonly (string | number)[], message: string): never => {
  throw new Error(`${path.join(".")} ${message}`);
};

test("a change replaces what is given, and null clears", () => {
  const before = changeValues(SETTINGS, initialValues(SETTINGS), { alias: "a", rest_minutes: 5 });
  expect(before).toEqual({ isLoud: false, alias: "a", size: { width: 1 }, rest: 300_000 });
  expect(changeValues(SETTINGS, before, { loud: true, alias: null })).toEqual({
    isLoud: true,
    alias: null,
    size: { width: 1 },
    rest: 300_000,
  });
});

test("each form has its own fields", () => {
  expect(Object.keys(fieldsOf(SETTINGS, "wire"))).toEqual(["loud", "alias", "size", "rest_minutes"]);
  expect(Object.keys(fieldsOf(SETTINGS, "file"))).toEqual(["loud", "alias", "size", "rest_hours"]);
  expect(valuesInFile(SETTINGS, { rest_hours: 2 }, fail)).toMatchObject({ isLoud: false, alias: null, rest: 7_200_000 });
  expect(() => valuesInFile(SETTINGS, { rest_hours: 25 }, fail)).toThrow("rest_hours is more than a day");
  expect(showValues(SETTINGS, initialValues(SETTINGS))).toEqual({ loud: false, alias: null, size: { width: 1 }, rest_minutes: 10 });
});

test("a document without a field has its initial value: an older version stored it", () => {
  expect(restoreValues(SETTINGS, `{"loud":true}`)).toEqual({ isLoud: true, alias: null, size: { width: 1 }, rest: 600_000 });
});

test("fields of a newer version survive a change by this one, at any depth", () => {
  const values = restoreValues(SETTINGS, `{"alias":"a","size":{"width":2,"depth":3},"volume":{"left":11}}`);
  const changed = { ...values, ...changeValues(SETTINGS, values, { loud: true }) };
  expect(JSON.parse(storeValues(SETTINGS, changed))).toEqual({
    loud: true,
    alias: "a",
    size: { width: 2, depth: 3 },
    rest_minutes: 10,
    volume: { left: 11 },
  });
});

test("a document with a value that its setting cannot have is not read", () => {
  expect(() => restoreValues(SETTINGS, `{"rest_minutes":-1}`)).toThrow("the stored field rest_minutes must be at least 0, not -1");
});
