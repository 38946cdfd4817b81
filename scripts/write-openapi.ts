/** Writes the OpenAPI documents of both APIs. A test fails when they are out of date. */
import { gatewayDocument, gatewayDocumentWithEndpoints, platformDocument } from "../src/openapi.ts";

for (const [name, document] of [
  ["gateway", gatewayDocument()],
  ["gateway-with-endpoints", gatewayDocumentWithEndpoints()],
  ["platform", platformDocument()],
] as const) {
  await Bun.write(new URL(`../openapi/${name}.json`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
}
