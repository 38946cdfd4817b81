import { expect, test } from "bun:test";
import { startDemo } from "../../scripts/demo/start-demo.ts";

interface AuditReport {
  readonly checked: { readonly requests: number };
  readonly discrepancies: readonly object[];
}

test("the ledger of the demo passes the audit", async () => {
  const demo = await startDemo({ days: 2, requestsADay: 300 });
  try {
    const { checked, discrepancies } = await demo.gateway.platform<AuditReport>("GET", "/api/audit");
    expect(discrepancies).toEqual([]);
    expect(checked.requests).toBeGreaterThan(100);
  } finally {
    await demo.stop();
  }
}, 300_000);
