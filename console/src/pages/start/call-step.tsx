import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequest } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
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
  /** The key itself, where it was made on this page. */
  readonly keyText: string | null;
  readonly model: string | undefined;
  readonly request: LoggedRequest | undefined;
}

/** The third step: the first call, from wherever one likes. */
export function CallStep({ keyId, keyText, model, request }: CallStepProps): ReactNode {
  if (keyId === undefined) return <p className="text-ink-2">Create a key first.</p>;
  return (
    <>
      <p className="text-ink-2">
        {keyText === null
          ? "Put the key into OPENAI_API_KEY, and run one of these. Or ask right here."
          : "Run one of these: your key is in it. Or ask right here."}
      </p>
      <Snippets {...{ keyId, keyText, model }} />
      <Arrived request={request} />
    </>
  );
}

function Snippets({ keyId, keyText, model }: { readonly keyId: string } & Pick<CallStepProps, "keyText" | "model">): ReactNode {
  const baseUrl = useGatewayUrl();
  const models = useLook("listModels", { query: { key: keyId, state: "available", limit: 1 } });
  const asked = model ?? models.data?.data[0]?.id;
  if (baseUrl === undefined || models.isPending) return <Loading lines={4} />;
  if (asked === undefined) return <Notice tone="warn">This key may call no model yet. Create an upstream first.</Notice>;
  const snippets = snippetsOf({ baseUrl, key: keyText, body: greetingBody(asked) });
  return (
    <>
      <Tabs label="Languages" tabs={snippets.map(({ id, label, text }) => ({ id, label, content: <Code text={text} label={label} /> }))} />
      <div>
        <Link
          to="/playground"
          search={{ key: keyId, model: asked, question: "Say hello, in one sentence." }}
          className={buttonClass("primary")}
        >
          Ask it here
        </Link>
      </div>
    </>
  );
}

/** The request log is asked until there is something in it. */
function Arrived({ request }: { readonly request: LoggedRequest | undefined }): ReactNode {
  return (
    <div role="status">
      {request ? (
        <Notice tone="good" title="The first request has arrived">
          <Link to="/requests/$id" params={{ id: request.request_id }} className={textLink}>
            See it
          </Link>{" "}
          or go on to the{" "}
          <Link to="/" className={textLink}>
            overview
          </Link>
          .
        </Notice>
      ) : (
        <p className="flex items-center gap-2 text-ink-3">
          <span className="skeleton size-2 rounded-full" aria-hidden />
          Waiting for the first request.
        </p>
      )}
    </div>
  );
}
