import type { Page } from "playwright-core";
import { atRest } from "./open-console.ts";

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const AXE = require.resolve("axe-core/axe.min.js");

/** Skips frames and style sheet preloading (for device orientation rules), which take time and find nothing here. */
const OPTIONS = { resultTypes: ["violations"], preload: false, iframes: false };

/** Hundreds of cells, the same on several pages: checked only with the whole page of the overview. */
const REPEATED = "[aria-label='Hours of the week']";

/** The serious and critical accessibility violations that axe finds. Default: the whole page and all rules. */
export async function axeViolations(page: Page, within = "html", rules?: readonly string[]): Promise<string[]> {
  await atRest(page);
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(await Bun.file(AXE).text());
  const options = JSON.stringify({ ...OPTIONS, ...(rules && { runOnly: rules }) });
  const context = JSON.stringify(within === "html" ? within : { include: within, exclude: REPEATED });
  const violations = await page.evaluate<Violation[]>(`axe.run(${context}, ${options}).then(({ violations }) => violations)`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
