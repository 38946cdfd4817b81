import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import type { ReactNode } from "react";
import { call } from "../../platform/call.ts";
import type { RequestBodies } from "../../platform/interface.ts";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Notice } from "../../parts/notice.tsx";
import { PanelSection } from "./panel-section.tsx";
import { readable } from "./format-json.ts";

/** Fetched by a click and not as a look, which is repeated by itself: each is recorded in the audit log. */
export function useBodies(requestId: string): UseMutationResult<RequestBodies, Error, void> {
  return useMutation({ mutationFn: () => call("showBodies", { path: { requestId } }) });
}

/** What was asked and answered, where the account has that kept. */
export function SaidSection({ bodies }: { readonly bodies: UseMutationResult<RequestBodies, Error, void> }): ReactNode {
  const { data, error, isPending, mutate } = bodies;
  return (
    <PanelSection title="What was said">
      {data ? (
        <Said bodies={data} />
      ) : (
        <div className="flex flex-col items-start gap-2">
          <p className="text-ink-2">This account has prompts and answers kept. That you look at them is recorded in the audit log.</p>
          {error && <Notice tone="bad">{error.message}</Notice>}
          <Button busy={isPending} onClick={() => mutate()}>
            <Eye size={14} aria-hidden />
            Show, and record it
          </Button>
        </div>
      )}
    </PanelSection>
  );
}

function Said({ bodies: { request, reply, cut } }: { readonly bodies: RequestBodies }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      {cut && <Notice>Something of it was too long to be kept, and was cut off.</Notice>}
      <div>
        <h4 className="mb-1 text-sm font-medium">Asked</h4>
        {request === null ? <p className="text-ink-3">Not kept.</p> : <Code label="what was asked" text={readable(request)} />}
      </div>
      <div>
        <h4 className="mb-1 text-sm font-medium">Answered</h4>
        {reply === null ? <p className="text-ink-3">Not kept.</p> : <Code label="what was answered" text={readable(reply)} />}
      </div>
    </div>
  );
}
