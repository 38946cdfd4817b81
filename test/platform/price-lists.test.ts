import { afterAll, beforeAll, expect, test } from "bun:test";
import { updatePriceList } from "../../src/cli/commands/prices/price-lists.ts";
import { openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

let platform: PlatformInProcess;
beforeAll(async () => {
  platform = await openPlatform(new Map());
});
afterAll(() => platform.stop());

const price = (input: number): object => ({ price: { input_per_million: input, output_per_million: 8 } });

async function inputsAfter(body: object): Promise<unknown> {
  const { status, text, body: reply } = await platform.call(OPERATOR, "updatePriceList", { params: { id: "partners" }, body });
  if (status !== 200) return text;
  const models = reply["models"] as Record<string, { input_per_million: number }[]>;
  return Object.fromEntries(Object.entries(models).map(([model, prices]) => [model, prices[0]!.input_per_million]));
}

test("an update sets or removes the price of one model, and leaves the others", async () => {
  await platform.call(OPERATOR, "createPriceList", { body: { id: "partners", name: "Partners", models: { a: price(1), b: price(2) } } });
  expect(await inputsAfter({ set_models: { b: price(3), c: price(4) } })).toEqual({ a: 1, b: 3, c: 4 });
  expect(await inputsAfter({ set_models: { a: null, unknown: null } })).toEqual({ b: 3, c: 4 });
  expect(await inputsAfter({ set_models: { b: price(5) }, models: { a: price(1) } })).toBe("set_models cannot be combined with models.");
  expect(await inputsAfter({ set_models: { b: {} } })).toStartWith("models.b has no price");
  expect(await inputsAfter({ set_models: { b: null, c: null } })).toStartWith("percent is required");
  expect(await inputsAfter({ models: { z: price(9) } })).toEqual({ z: 9 });
});

test("the command line reads the price of a model", () => {
  const { read, gather } = updatePriceList.options["set-model"]!;
  const given = ["gpt-4o=2,8", "old=none", "echo=free", 'big={"price": {"input_per_million": 1, "output_per_million": 2}}'];
  expect(gather!(given.map((each) => read!(each, "--set-model")))).toEqual({
    "gpt-4o": { price: { input_per_million: 2, output_per_million: 8 } },
    old: null,
    echo: { free: true },
    big: { price: { input_per_million: 1, output_per_million: 2 } },
  });
  for (const each of ["gpt-4o", "=1,2", "a=1", "a=x,2", "a=1,2,3", "a={"])
    expect(() => read!(each, "--set-model")).toThrow("--set-model must be");
});
