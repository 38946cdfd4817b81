import { join } from "node:path";
import { operation, type Operation } from "../../operation.ts";

const FOLDER = join(import.meta.dir, "../../../../openapi");

/** GET /docs/gateway.json and GET /docs/platform.json: both interfaces as they are published, as OpenAPI documents. */
export function showDocuments(): Operation[] {
  return ["gateway", "platform"].map((name) =>
    operation({
      method: "GET",
      path: `/docs/${name}.json`,
      access: "anyone",
      operationId: `showDocument of ${name}`,
      summary: "The OpenAPI document of an interface.",
      reply: { status: 200, description: "The document.", isPage: true },
      run: () => new Response(Bun.file(join(FOLDER, `${name}.json`))),
    }),
  );
}
