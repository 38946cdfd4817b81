import { renderDocs } from "../../docs/render-docs.ts";
import { operation, type Operation } from "../../operation.ts";

/** GET /docs: both interfaces, as they are published. Made on the first visit: nobody else need pay for it. */
export function serveDocs(): Operation {
  let page: Promise<string> | undefined;
  return operation({
    method: "GET",
    path: "/docs",
    access: "anyone",
    operationId: "showDocs",
    summary: "The documentation of both interfaces.",
    reply: { status: 200, description: "A page.", isPage: true },
    async run() {
      page ??= render();
      return new Response(await page, { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  });
}

async function render(): Promise<string> {
  const gateway = await import("../../../../openapi/gateway.json");
  const platform = await import("../../../../openapi/platform.json");
  return renderDocs([
    { id: "gateway", document: gateway.default },
    { id: "platform", document: platform.default },
  ]);
}
