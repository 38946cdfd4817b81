import { join } from "node:path";
import { operation, type Operation } from "../../operation.ts";
import { Reply } from "../../../http/reply.ts";

const ROOT = join(import.meta.dir, "../../../..");

/** What the console's documentation is made of, and programs can read too. */
const DOCUMENTS = [
  { path: "/docs/gateway.json", file: "openapi/gateway.json", type: "application/json;charset=utf-8" },
  { path: "/docs/platform.json", file: "openapi/platform.json", type: "application/json;charset=utf-8" },
  { path: "/docs/changelog.md", file: "CHANGELOG.md", type: "text/markdown" },
] as const;

/** GET /docs/gateway.json, platform.json and changelog.md: both interfaces as they are published, and what has changed. */
export function showDocuments(): Operation[] {
  return DOCUMENTS.map(({ path, file, type }) =>
    operation({
      method: "GET",
      path,
      access: "anyone",
      operationId: `showDocument ${file}`,
      summary: "A document that is published with this version.",
      reply: { status: 200, description: "The document.", isPage: true },
      run: async () => new Reply(await Bun.file(join(ROOT, file)).bytes(), { headers: { "content-type": type } }),
    }),
  );
}
