import { expect } from "bun:test";
import { BillError } from "../../src/reconciliation/bill-error.ts";
import type { Bill } from "../../src/reconciliation/bill.ts";
import { readBill } from "../../src/reconciliation/read-bill.ts";
import { ZoneDays } from "../../src/reconciliation/zone-days.ts";

export const UTC = ZoneDays.find("UTC")!;

/** Day, model, requests, input, cached, cache writes, output, and dollars in millionths. */
export function summarize({ models }: Bill): string[] {
  return models.map(({ day, model, measures: { counts, costPicos } }) => {
    const { requests, input, cached, cacheWrite, output } = counts;
    return `${day} ${model} ${requests} ${input} ${cached} ${cacheWrite} ${output} ${costPicos / 1_000_000n}`;
  });
}

/** The error of a bill, or "none". */
export async function problemIn(csv: string, days = UTC): Promise<string> {
  try {
    await readBill(csv, days);
  } catch (error) {
    expect(error).toBeInstanceOf(BillError);
    return (error as BillError).message;
  }
  return "none";
}
