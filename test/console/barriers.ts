import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What on a page would keep somebody from using it, as far as axe finds it. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(await Bun.file(require.resolve("axe-core/axe.min.js")).text());
  const { violations } = (await page.evaluate("axe.run()")) as { violations: Violation[] };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
