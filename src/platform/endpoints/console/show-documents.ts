import { join } from "node:path";
import { operation, type Operation } from "../../operation.ts";

const ROOT = join(import.meta.dir, "../../../..");

/** What the console's documentation is made of, and programs can read too. */
const DOCUMENTS = [
  { path: "/docs/gateway.json", file: "openapi/gateway.json" },
  { path: "/docs/platform.json", file: "openapi/platform.json" },
  { path: "/docs/changelog.md", file: "CHANGELOG.md" },
] as const;

/** GET /docs/gateway.json, platform.json and changelog.md: both interfaces as they are published, and what has changed. */
export function showDocuments(): Operation[] {
  return DOCUMENTS.map(({ path, file }) =>
    operation({
      method: "GET",
      path,
      access: "anyone",
      operationId: `showDocument ${file}`,
      summary: "A document that is published with this version.",
      reply: { status: 200, description: "The document.", isPage: true },
      run: () => new Response(Bun.file(join(ROOT, file))),
    }),
  );
}
