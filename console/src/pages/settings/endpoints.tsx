import type { ReactNode } from "react";
import type { OptionalEndpoint } from "../../../../platform-client/types.ts";
import { Mono } from "../../parts/code.tsx";
import { DocsLink } from "../../parts/docs-link.tsx";
import { endpointLabel } from "../../parts/format/format.ts";
import { Switch } from "../../parts/inputs/switch.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";

const CLIENTS: Readonly<Record<OptionalEndpoint["id"], string>> = {
  messages: "For Claude Code and Anthropic's SDKs",
  responses: "For Codex, Cursor and SDKs that use the Responses API",
  embeddings: "For retrieval (RAG): models of the kind embedding",
};

/** The endpoints that can be turned on and off. */
export function Endpoints(): ReactNode {
  const endpoints = useApiQuery("listEndpoints", {});
  const update = useApiMutation("updateEndpoint");
  return (
    <Section
      title="Endpoints"
      about="Chat completions are always on. Changes take effect immediately."
      actions={<DocsLink to="agents">Documentation</DocsLink>}
    >
      <div className="flex flex-col gap-3">
        {update.error && <Notice tone="bad">{update.error.message}</Notice>}
        <Fetched of={endpoints} lines={2}>
          {({ data }) =>
            data.map(({ id, path, enabled, managed_by: origin }) => (
              <div key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1">
                <Switch
                  className="min-w-40"
                  label={endpointLabel(id)}
                  checked={enabled}
                  disabled={origin === "file" || update.isPending}
                  onChange={({ target }) => update.mutate({ path: { id }, body: { enabled: target.checked } })}
                />
                <Mono>{path}</Mono>
                <span className="text-ink-3">{origin === "file" ? "Turned on in the config file" : CLIENTS[id]}</span>
              </div>
            ))
          }
        </Fetched>
      </div>
    </Section>
  );
}
