import { describe, expect, test } from "bun:test";
import { OPENAI_COST_HEADER, OPENAI_USAGE_HEADER } from "../../../test/reconciliation/bill-headers.ts";
import { summarize, problemIn, UTC } from "../../../test/reconciliation/summarize-bill.ts";
import { readBill } from "../read-bill.ts";
import { ZoneDays } from "../zone-days.ts";

/** The cells of a bucket of time. */
function timesOf(start: number, seconds = 86_400): string {
  return `${start},${start + seconds},${isoOf(start)},${isoOf(start + seconds)}`;
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "+00:00");
}

const OCTOBER_5 = 1_759_622_400;

describe("OpenAI's usage export", () => {
  test("has decimal integers, the whole input in one column, several records per model, and days without usage", async () => {
    const bill = await readBill(
      [
        OPENAI_USAGE_HEADER,
        `${timesOf(OCTOBER_5)},proj_a,10.0,user-a,key_a,gpt-4o-2024-08-06,FALSE,default,59200.0,10646.0,5760.0,53440.0`,
        `${timesOf(OCTOBER_5 + 3600, 3600)},proj_b,1.0,user-a,key_b,gpt-4o-2024-08-06,FALSE,default,100.0,20.0,0.0,100.0`,
        `${timesOf(OCTOBER_5 + 86_400)},,,,,,,,,,,`,
      ].join("\n"),
      UTC,
    );
    expect(summarize(bill)).toEqual(["2025-10-05 gpt-4o-2024-08-06 11 53540 5760 0 10666 0"]);
    expect(bill).toMatchObject({ format: "openai_usage", lines: 3, span: { from: "2025-10-05", to: "2025-10-06" } });
    expect([...bill.measures].toSorted()).toEqual(["cached", "input", "output", "requests"]);
    expect(bill.ignoredColumns).toEqual(["project_id", "user_id", "api_key_id", "batch", "service_tier", "input_uncached_tokens"]);
  });

  test("without usage has only time columns", async () => {
    const bill = await readBill(`start_time,end_time,start_time_iso,end_time_iso\n${timesOf(OCTOBER_5)}\n`, UTC);
    expect([bill.format, bill.models, bill.span]).toEqual(["openai_usage", [], { from: "2025-10-05", to: "2025-10-05" }]);
  });

  test("has cache writes separately when there is a column", async () => {
    const csv = `start_time,end_time,model,input_tokens,input_cached_tokens,input_cache_write_tokens,output_tokens\n${OCTOBER_5},${OCTOBER_5 + 60},m,100,30,20,5\n`;
    expect(summarize(await readBill(csv, UTC))).toEqual(["2025-10-05 m 0 50 30 20 5 0"]);
  });

  test.each([
    [
      "ungrouped",
      `${OPENAI_USAGE_HEADER}\n${timesOf(OCTOBER_5)},,10,,,,,,100,5,0,100\n`,
      "line 2, column model: is empty: export the usage grouped by model",
    ],
    [
      "of something else",
      "start_time,end_time,model,images\n1,2,m,3\n",
      "line 1, column input_tokens: is missing: export the usage of completions, grouped by model",
    ],
    [
      "with more cached than there is",
      `${OPENAI_USAGE_HEADER}\n${timesOf(OCTOBER_5)},,1,,,m,,,100,5,101,0\n`,
      "line 2, column input_tokens: must be at least the cached part of it",
    ],
    [
      "that ends before it begins",
      `start_time,end_time,model,input_tokens,output_tokens\n${OCTOBER_5},${OCTOBER_5},m,1,1\n`,
      "line 2, column end_time: must be after start_time",
    ],
  ])("%s is refused", async (_, csv, problem) => expect(await problemIn(csv)).toBe(problem));

  test("by the hour is read in any time zone, by the UTC day in no other", async () => {
    const auckland = ZoneDays.find("Pacific/Auckland")!;
    const hours = `${OPENAI_USAGE_HEADER}\n${timesOf(OCTOBER_5 + 43_200, 3600)},,1,,,m,,,1,1,0,1\n`;
    expect(summarize(await readBill(hours, auckland))).toEqual(["2025-10-06 m 1 1 0 0 1 0"]);
    const whole = `${OPENAI_USAGE_HEADER}\n${timesOf(OCTOBER_5)},,1,,,m,,,1,1,0,1\n`;
    expect(await problemIn(whole, auckland)).toContain("line 2, column start_time: the record covers more than one day");
  });
});

describe("OpenAI's cost export", () => {
  test("has an item per kind of tokens, with its quantity, and other items", async () => {
    const day = timesOf(OCTOBER_5);
    const bill = await readBill(
      [
        OPENAI_COST_HEADER,
        `${day},,,,,,,,`,
        `${day},0.0045519000000000000000000000,usd,30346.0,tokens,"gpt-4o-mini-2024-07-18, input",,,p`,
        `${day},0E-6176,usd,0.0,tokens,"gpt-4o-mini-2024-07-18, cached input",,,p`,
        `${day},0.0009822,usd,1637,tokens,"gpt-4o-mini-2024-07-18, output",,,p`,
        `${day},0.5,USD,100,tokens,"priority | gpt-5.6-sol, output, long context",,,p`,
        `${day},0.02,usd,3,calls,web search tool calls,,,p`,
        `${day},0.01,usd,60,duration_seconds,whisper,,,p`,
      ].join("\r\n"),
      UTC,
    );
    expect(summarize(bill)).toEqual([
      "2025-10-05 gpt-4o-mini-2024-07-18 0 30346 0 0 1637 5534",
      "2025-10-05 gpt-5.6-sol 0 0 0 0 100 500000",
      "2025-10-05 (web search tool calls) 0 0 0 0 0 20000",
      "2025-10-05 (whisper) 0 0 0 0 0 10000",
    ]);
    expect([bill.format, [...bill.measures]]).toEqual(["openai_costs", ["input", "cached", "output", "cost"]]);
  });

  test("has cache writes separately if there are any; older exports have no quantities", async () => {
    const writes = `${OPENAI_COST_HEADER}\n${timesOf(OCTOBER_5)},0.5,usd,7,tokens,"m, cache writes",,,\n`;
    expect([...(await readBill(writes, UTC)).measures]).toEqual(["input", "cached", "cacheWrite", "output", "cost"]);
    const older = `start_time,end_time,amount_value,amount_currency,line_item\n${OCTOBER_5},${OCTOBER_5 + 86_400},0.127440,usd,"ft-gpt-4o-2024-08-06, input"\n`;
    const bill = await readBill(older, UTC);
    expect([summarize(bill), [...bill.measures]]).toEqual([["2025-10-05 ft-gpt-4o-2024-08-06 0 0 0 0 0 127440"], ["cost"]]);
  });

  test.each([
    [
      "ungrouped",
      `${OPENAI_COST_HEADER}\n${timesOf(OCTOBER_5)},0.5,usd,,,,,,\n`,
      "line 2, column line_item: is empty: export the costs grouped by line item",
    ],
    [
      "in another currency",
      `${OPENAI_COST_HEADER}\n${timesOf(OCTOBER_5)},0.5,eur,1,tokens,"m, input",,,\n`,
      "line 2, column amount_currency: must be usd: prices are in dollars",
    ],
    [
      "in no currency",
      `${OPENAI_COST_HEADER}\n${timesOf(OCTOBER_5)},0.5,,1,tokens,"m, input",,,\n`,
      "line 2, column amount_currency: must be usd: prices are in dollars",
    ],
    [
      "without its quantity",
      `${OPENAI_COST_HEADER}\n${timesOf(OCTOBER_5)},0.5,usd,,tokens,"m, input",,,\n`,
      'line 2, column quantity: must be a whole number, such as 59200, not ""',
    ],
    [
      "in another unit",
      `${OPENAI_COST_HEADER}\n${timesOf(OCTOBER_5)},0.5,usd,1,images,"m, output",,,\n`,
      "line 2, column quantity_unit: must be tokens for this item",
    ],
  ])("%s is refused", async (_, csv, problem) => expect(await problemIn(csv)).toBe(problem));
});
