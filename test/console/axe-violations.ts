import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const AXE = require.resolve("axe-core/axe.min.js");

/** Without what takes time and finds nothing here: other documents in the page, and style sheets for how a telephone is held. */
const OPTIONS = { resultTypes: ["violations"], preload: false, iframes: false };

/** What on a page would keep somebody from using it, as far as axe finds it: on all of it and by all rules, unless told. */
export async function axeViolations(page: Page, within = "html", rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(await Bun.file(AXE).text());
  const options = JSON.stringify({ ...OPTIONS, ...(rules && { runOnly: rules }) });
  const violations = await page.evaluate<Violation[]>(`axe.run("${within}", ${options}).then(({ violations }) => violations)`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
