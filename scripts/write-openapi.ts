/** Writes the published descriptions of both interfaces. A test fails while they and the code disagree. */
import { gatewayDocument, platformDocument } from "../src/openapi.ts";

for (const [name, document] of [
  ["gateway", gatewayDocument()],
  ["platform", platformDocument()],
] as const) {
  await Bun.write(new URL(`../openapi/${name}.json`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
}
