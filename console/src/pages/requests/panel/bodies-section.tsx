import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import type { ReactNode } from "react";
import { call } from "../../../platform/call.ts";
import type { LoggedRequest, RequestBodies } from "../../../../../platform-client/types.ts";
import { useResetOnExpiry } from "../../../platform/use-api.ts";
import { Button } from "../../../parts/button.tsx";
import { Code } from "../../../parts/code.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { Tabs } from "../../../parts/tabs.tsx";
import { ChatView } from "../chat/chat-view.tsx";
import { EmbeddingsView } from "../embeddings/embeddings-view.tsx";
import { PanelSection } from "./panel-section.tsx";
import { formatJson } from "./format-json.ts";

export type Bodies = UseMutationResult<RequestBodies, Error, void>;

/** A mutation, because a query would be refetched: every read is recorded in the audit log. */
export function useBodies(requestId: string): Bodies {
  const bodies = useMutation({ mutationFn: () => call("showBodies", { path: { requestId } }) });
  useResetOnExpiry(bodies);
  return bodies;
}

interface BodiesSectionProps {
  readonly bodies: Bodies;
  readonly request: Pick<LoggedRequest, "stream" | "endpoint">;
}

/** The prompt and the response, if the account has prompt and response logging enabled. */
export function BodiesSection({ bodies, request }: BodiesSectionProps): ReactNode {
  const { data, error, isPending, mutate } = bodies;
  return (
    <PanelSection title="Prompt and response">
      {data ? (
        <StoredBodies bodies={data} request={request} />
      ) : (
        <div className="flex flex-col items-start gap-2">
          <p className="text-ink-2">This account logs prompts and responses. Viewing or copying them is recorded in the audit log.</p>
          {error && <Notice tone="bad">{error.message}</Notice>}
          <Button busy={isPending} onClick={() => mutate()}>
            <Eye size={14} aria-hidden />
            View prompt and response
          </Button>
        </div>
      )}
    </PanelSection>
  );
}

interface StoredBodiesProps extends Pick<BodiesSectionProps, "request"> {
  readonly bodies: RequestBodies;
}

function StoredBodies({ bodies, request: { stream, endpoint } }: StoredBodiesProps): ReactNode {
  const readable =
    endpoint === "embeddings"
      ? { id: "texts", label: "Texts", content: <EmbeddingsView bodies={bodies} /> }
      : { id: "chat", label: "Chat", content: <ChatView bodies={bodies} isStream={stream} /> };
  return (
    <div className="flex flex-col gap-3">
      {bodies.truncated && <Notice>The stored text is truncated, because it was too long.</Notice>}
      <Tabs
        label="Views of the prompt and the response"
        tabs={[readable, { id: "raw", label: "JSON", content: <RawBodies bodies={bodies} /> }]}
      />
    </div>
  );
}

function RawBodies({ bodies: { request, reply } }: { readonly bodies: RequestBodies }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <div>
        <h4 className="mb-1 text-sm font-medium">Prompt</h4>
        {request === null ? <p className="text-ink-3">Not stored.</p> : <Code label="prompt" text={formatJson(request)} />}
      </div>
      <div>
        <h4 className="mb-1 text-sm font-medium">Response</h4>
        {reply === null ? <p className="text-ink-3">Not stored.</p> : <Code label="response" text={formatJson(reply)} />}
      </div>
    </div>
  );
}
