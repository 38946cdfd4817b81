/** Writes the published description of the public interface. A test fails while it and the code disagree. */
import { gatewayDocument } from "../src/openapi.ts";

await Bun.write(new URL("../openapi/gateway.json", import.meta.url), `${JSON.stringify(gatewayDocument(), null, 2)}\n`);
