import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { OPENAI_COST_HEADER, OPENAI_USAGE_HEADER } from "../../test/reconciliation/bill-headers.ts";
import { summarize, problemIn, UTC } from "../../test/reconciliation/summarize-bill.ts";
import { readBill } from "./read-bill.ts";

describe("a plain bill", () => {
  test("has its columns in any order and by several names, beside others", async () => {
    const bill = await readBill("Cost,MODEL,Note,Completion Tokens,Date,prompt-tokens,cached_tokens\n1.5,m,hm,2,2027-01-31,10,4\n", UTC);
    expect(summarize(bill)).toEqual(["2027-01-31 m 0 6 4 0 2 1500000"]);
    expect([bill.format, bill.ignoredColumns]).toEqual(["plain", ["note"]]);
  });

  test("need not have all columns: the existing ones are compared", async () => {
    const money = await readBill("date,model,amount,currency\n2027-01-31T23:30:00-05:00,m,1,USD\n", UTC);
    expect([summarize(money), [...money.measures]]).toEqual([["2027-02-01 m 0 0 0 0 0 1000000"], ["cost"]]);
    const fresh = await readBill("day,model,uncached_input_tokens,cache_read_tokens,requests\n2027-01-31,m,10,40,3\n", UTC);
    expect([summarize(fresh), [...fresh.measures].toSorted()]).toEqual([["2027-01-31 m 3 10 40 0 0 0"], ["cached", "input", "requests"]]);
  });

  test("has a limited number of records", async () => {
    expect(await problemIn(`date,model,requests,cost\n${"2027-01-31,m,1,1\n".repeat(200_000)}`)).toBe(
      "line 200001: there are more than 200000 records: export fewer days or groups",
    );
  });

  test.each([
    ["no date", "model,cost\nm,1\n", "line 1, column date: is missing; there are model, cost"],
    [
      "nothing to compare",
      "date,model,requests\n2027-01-31,m,1\n",
      "line 1: it has neither tokens nor a cost: add input_tokens, output_tokens or cost",
    ],
    ["a column twice", "date,model,cost,Cost\n2027-01-31,m,1,1\n", "line 1, column cost: occurs twice"],
    [
      "two columns that say the same",
      "date,model,cost,amount\n2027-01-31,m,1,1\n",
      "line 1, column amount: has the same meaning as column cost: omit one of them",
    ],
    ["a day that is none", "date,model,cost\n2027-02-30,m,1\n", 'line 2, column date: must be a date such as 2027-01-31, not "2027-02-30"'],
    [
      "a number with commas",
      'date,model,input_tokens\n2027-01-31,m,"1,000"\n',
      'line 2, column input_tokens: must be a whole number, such as 59200, not "1,000"',
    ],
    [
      "a part of a token",
      "date,model,input_tokens\n2027-01-31,m,1.5\n",
      'line 2, column input_tokens: must be a whole number, such as 59200, not "1.5"',
    ],
    [
      "an amount that is none",
      "date,model,cost\n2027-01-31,m,$5\n",
      'line 2, column cost: must be an amount of dollars, such as 0.0045, not "$5"',
    ],
    ["another currency", "date,model,cost,currency\n2027-01-31,m,5,EUR\n", "line 2, column currency: must be usd: prices are in dollars"],
    [
      "an amount that is not read",
      "date,model,output_tokens,cost_eur\n2027-01-31,m,1,5\n",
      "line 1, column cost_eur: seems to be money, but is not read: in a plain bill, name the billed dollars cost, and omit the other columns",
    ],
    [
      "a total that is not read",
      "date,model,output_tokens,total,total_tokens\n2027-01-31,m,1,5000,1\n",
      "line 1, column total: seems to be money, but is not read: in a plain bill, name the billed dollars cost, and omit the other columns",
    ],
    [
      "a currency that is not read",
      "date,model,cost,billing_currency\n2027-01-31,m,5,EUR\n",
      "line 1, column billing_currency: seems to be money, but is not read: in a plain bill, name the billed dollars cost, and omit the other columns",
    ],
    [
      "an amount in an export of usage",
      "start_time,end_time,model,input_tokens,output_tokens,cost\n1759622400,1759708800,m,1,1,5\n",
      "line 1, column cost: seems to be money, but is not read: in a plain bill, name the billed dollars cost, and omit the other columns",
    ],
    ["no name", "date,model,cost\n2027-01-31, ,5\n", "line 2, column model: is empty"],
    ["nothing at all", "\n\n", "the file is empty"],
    [
      "ids instead of models",
      `date,model,cost\n${Array.from({ length: 1001 }, (_, at) => `2027-01-31,r${at},1\n`).join("")}`,
      "there are more than 1000 models: check the column of models",
    ],
  ])("with %s is refused", async (_, csv, problem) => expect(await problemIn(csv)).toBe(problem));
});

test("any bytes give a bill, or an error with the problem", async () => {
  const header = fc.constantFrom(
    OPENAI_USAGE_HEADER,
    OPENAI_COST_HEADER,
    "date,model,cost",
    "usage_date_utc,model,cost_usd",
    "date,model,input_tokens,cached_tokens",
  );
  const cell = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(
      "2027-01-31",
      "1759622400",
      "1759708800",
      "m",
      "1",
      "0.5",
      "usd",
      "",
      '"',
      "1e400",
      "9".repeat(30),
      "0000-01-01",
      "m, input",
    ),
  );
  const rows = fc.array(fc.array(cell, { maxLength: 16 }).map((cells) => cells.join(",")));
  const anything = fc.oneof(
    fc.tuple(header, rows).map(([head, all]) => [head, ...all].join("\n")),
    fc.string({ unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(anything, async (csv) => {
      const problem = await problemIn(csv);
      expect(problem).toMatch(/^(none|line \d+.*: .+|the file is empty|there are more .+)$/s);
    }),
    runs(1000),
  );
});
