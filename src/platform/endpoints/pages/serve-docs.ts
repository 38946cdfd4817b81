import { join } from "node:path";
import type { OpenApiDocument } from "../../docs/openapi-document.ts";
import { renderDocs } from "../../docs/render-docs.ts";
import { operation, type Operation } from "../../operation.ts";

const FOLDER = join(import.meta.dir, "../../../../openapi");
const DOCUMENTS = ["gateway", "platform"] as const;

/** GET /docs: both interfaces as they are published, for people; and each as its OpenAPI document, for programs. */
export function serveDocs(): Operation[] {
  // Made on the first visit: nobody else need pay for it.
  let page: Promise<string> | undefined;
  return [
    served("/docs", "showDocs", async () => {
      page ??= render();
      return new Response(await page, { headers: { "content-type": "text/html; charset=utf-8" } });
    }),
    ...DOCUMENTS.map((id) => served(`/docs/${id}.json`, `show-${id}-document`, () => new Response(fileOf(id)))),
  ];
}

async function render(): Promise<string> {
  return renderDocs(await Promise.all(DOCUMENTS.map(async (id) => ({ id, document: (await fileOf(id).json()) as OpenApiDocument }))));
}

function fileOf(id: string): Bun.BunFile {
  return Bun.file(join(FOLDER, `${id}.json`));
}

function served(path: string, operationId: string, run: Operation["run"]): Operation {
  return operation({
    method: "GET",
    path,
    access: "anyone",
    operationId,
    summary: "The documentation of the interfaces.",
    reply: { status: 200, description: "The documentation.", isPage: true },
    run,
  });
}
