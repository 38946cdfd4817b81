import { Link } from "@tanstack/react-router";
import { MessageSquareText, Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { LoggedRequestInFull } from "../../../../platform-client/types.ts";
import { buttonClass, Button } from "../../parts/button.tsx";
import { Menu, type MenuItem } from "../../parts/overlays/menu.tsx";
import type { Bodies } from "./panel/bodies-section.tsx";
import { withChange, type FilterProps } from "./filters/request-search.ts";
import { useCopy } from "../../parts/copy.tsx";
import { Notice } from "../../parts/notice.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { useGatewayUrl } from "../../snippets/use-snippets.ts";
import { isRepeatable, languagesFor, toCode, type Language } from "./panel/request-code.ts";

interface RequestActionsProps extends FilterProps {
  readonly request: LoggedRequestInFull;
  readonly bodies: Bodies;
}

/** Actions: repeat a request, or filter the list by its properties. */
export function RequestActions({ request, bodies, search, onSearch }: RequestActionsProps): ReactNode {
  const { request_id: id, model, key } = request;
  const repeat = { request: id, ...(model !== null && { model }), ...(key !== null && { key }) };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <CopyAsCode request={request} bodies={bodies} />
      {request.endpoint === "chat_completions" && (
        <Link to="/playground" search={repeat} className={buttonClass()}>
          <MessageSquareText size={14} aria-hidden />
          Open in playground
        </Link>
      )}
      <Link to="/requests/compare" search={{ a: id }} className={buttonClass()}>
        Compare with …
      </Link>
      <Menu label="Filter by this request" items={filterItems(request, (change) => onSearch(withChange(search, change)))} />
    </div>
  );
}

function filterItems(request: LoggedRequestInFull, narrow: (change: Parameters<typeof withChange>[1]) => void): readonly MenuItem[] {
  const { key, model, account, code, upstream, user, conversation } = request;
  // End users and conversations belong to an account, which members cannot select.
  const ofAccount = account !== null && upstream !== undefined ? { account } : {};
  return [
    ...(key === null ? [] : [{ label: "This key", onSelect: () => narrow({ key }) }]),
    ...(model === null ? [] : [{ label: "This model", onSelect: () => narrow({ model }) }]),
    ...(code === null ? [] : [{ label: "This error code", onSelect: () => narrow({ code }) }]),
    { label: "This status", onSelect: () => narrow({ status: String(request.status) }) },
    ...(account === null || upstream === undefined ? [] : [{ label: "This account", onSelect: () => narrow({ account }) }]),
    ...(user === null ? [] : [{ label: "This end user", onSelect: () => narrow({ user, ...ofAccount }) }]),
    ...(conversation === null ? [] : [{ label: "This conversation", onSelect: () => narrow({ conversation, ...ofAccount }) }]),
    { label: "This endpoint", onSelect: () => narrow({ endpoint: request.endpoint }) },
    ...(upstream ? [{ label: "This upstream", onSelect: () => narrow({ upstream }) }] : []),
  ];
}

interface CopyAsCodeProps {
  readonly request: LoggedRequestInFull;
  readonly bodies: Bodies;
}

/** Copies code that repeats the request. For this, a stored prompt is loaded, which the audit log records like any other read. */
function CopyAsCode({ request, bodies }: CopyAsCodeProps): ReactNode {
  const gatewayUrl = useGatewayUrl();
  const { isCopied, copy } = useCopy();
  const [error, setError] = useState<string>();
  const copyAs = async (language: Language): Promise<void> => {
    setError(undefined);
    const loaded = request.bodies ? (bodies.data ?? (await bodies.mutateAsync())) : undefined;
    const body = loaded?.request ?? null;
    await copy(
      toCode(language, { gatewayUrl: gatewayUrl!, body, model: request.model, isStream: request.stream, endpoint: request.endpoint }),
    );
    if (!isRepeatable(body)) toast("Copied with an example prompt, because this one is not stored in full");
  };
  if (gatewayUrl === undefined) return null;
  return (
    <>
      <Menu
        label="Copy as"
        trigger={
          <Button busy={bodies.isPending}>
            {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            <span aria-live="polite">{isCopied ? "Copied" : "Copy as"}</span>
          </Button>
        }
        items={languagesFor(request.endpoint).map((language) => ({
          label: language,
          onSelect: () => void copyAs(language).catch((failure: Error) => setError(failure.message)),
        }))}
      />
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
    </>
  );
}
