import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { textLink } from "../../parts/text-link.ts";
import { greetingBody, snippetsOf } from "../../snippets/snippet.ts";
import { useGatewayUrl } from "../../snippets/use-snippets.ts";

interface CallStepProps {
  readonly keyId: string | undefined;
  /** The plaintext key, if it was created on this page. */
  readonly secret: string | null;
  readonly model: string | undefined;
  readonly request: LoggedRequest | undefined;
}

/** The third step: the first call, from a terminal, from code or from the playground. */
export function CallStep({ keyId, secret, model, request }: CallStepProps): ReactNode {
  if (keyId === undefined) return <p className="text-ink-2">Create a key first.</p>;
  return (
    <>
      <p className="text-ink-2">
        {secret === null
          ? "Set OPENAI_API_KEY to your key and run one of these, or use the playground."
          : "Run one of these, with your key filled in, or use the playground."}
      </p>
      <Snippets {...{ keyId, secret, model }} />
      <Arrived request={request} />
    </>
  );
}

function Snippets({ keyId, secret, model }: { readonly keyId: string } & Pick<CallStepProps, "secret" | "model">): ReactNode {
  const baseUrl = useGatewayUrl();
  const models = useApiQuery("listModels", { query: { key: keyId, state: "available", kind: "chat", limit: 1 } });
  const target = model ?? models.data?.data[0]?.id;
  if (baseUrl === undefined || models.isPending) return <Loading lines={4} />;
  if (target === undefined) return <Notice tone="warn">This key has no model to call yet. Create an upstream first.</Notice>;
  const snippets = snippetsOf({ baseUrl, key: secret, body: greetingBody(target) });
  return (
    <>
      <Tabs
        label="Code examples"
        tabs={snippets.map(({ id, label, text }) => ({ id, label, content: <Code text={text} label={label} /> }))}
      />
      <div>
        <Link
          to="/playground"
          search={{ key: keyId, model: target, question: "Say hello, in one sentence." }}
          className={buttonClass("primary")}
        >
          Open playground
        </Link>
      </div>
    </>
  );
}

/** Shows the first request when the request log has it. */
function Arrived({ request }: { readonly request: LoggedRequest | undefined }): ReactNode {
  return (
    <div role="status">
      {request ? (
        <Notice tone="good" title="First request received">
          <Link to="/requests/$id" params={{ id: request.request_id }} className={textLink}>
            View it
          </Link>{" "}
          or continue to the{" "}
          <Link to="/" className={textLink}>
            overview
          </Link>
          .
        </Notice>
      ) : (
        <p className="flex items-center gap-2 text-ink-3">
          <span className="skeleton size-2 rounded-full" aria-hidden />
          Waiting for the first request …
        </p>
      )}
    </div>
  );
}
