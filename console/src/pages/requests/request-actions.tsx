import { Link } from "@tanstack/react-router";
import { MessageSquareText } from "lucide-react";
import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { buttonClass } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { toCurl } from "./curl.ts";
import type { FilterProps } from "./filter-bar.tsx";
import { withChange } from "./request-search.ts";

interface RequestActionsProps extends FilterProps {
  readonly request: LoggedRequestInFull;
  /** What was asked, if it was looked at. */
  readonly body: string | null;
}

/** What one does with a request: ask it again, or look for others like it. */
export function RequestActions({ request, body, search, onSearch }: RequestActionsProps): ReactNode {
  const { request_id: id, model, key, stream: isStream } = request;
  const { data: about } = useLook("showAbout", {});
  const again = { request: id, ...(model !== null && { model }), ...(key !== null && { key }) };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {about && <CopyButton text={toCurl({ gatewayUrl: about.gateway_url, body, model, isStream })}>Copy as curl</CopyButton>}
      <Link to="/playground" search={again} className={buttonClass()}>
        <MessageSquareText size={14} aria-hidden />
        Open in the playground
      </Link>
      <Menu label="Show others like it" items={likeIt(request, (change) => onSearch(withChange(search, change)))} />
    </div>
  );
}

function likeIt(request: LoggedRequestInFull, narrow: (change: Parameters<typeof withChange>[1]) => void): readonly MenuItem[] {
  const { key, model, account, code, upstream } = request;
  return [
    ...(key === null ? [] : [{ label: "Only this key", onSelect: () => narrow({ key }) }]),
    ...(model === null ? [] : [{ label: "Only this model", onSelect: () => narrow({ model }) }]),
    ...(code === null ? [] : [{ label: "Only this code", onSelect: () => narrow({ code }) }]),
    { label: "Only this status", onSelect: () => narrow({ status: String(request.status) }) },
    ...(account === null || upstream === undefined ? [] : [{ label: "Only this account", onSelect: () => narrow({ account }) }]),
    ...(upstream ? [{ label: "Only this upstream", onSelect: () => narrow({ upstream }) }] : []),
  ];
}
