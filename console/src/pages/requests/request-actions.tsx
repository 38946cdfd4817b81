import { Link } from "@tanstack/react-router";
import { MessageSquareText } from "lucide-react";
import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../../../platform-client/types.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Menu, type MenuItem } from "../../parts/overlays/menu.tsx";
import type { Bodies } from "./panel/bodies-section.tsx";
import { CopyAsCode } from "./panel/copy-as-code.tsx";
import { withChange, type FilterProps } from "./filters/request-search.ts";

interface RequestActionsProps extends FilterProps {
  readonly request: LoggedRequestInFull;
  readonly bodies: Bodies;
}

/** Repeat a request, or filter the list by its properties. */
export function RequestActions({ request, bodies, search, onSearch }: RequestActionsProps): ReactNode {
  const { request_id: id, model, key } = request;
  const repeat = { request: id, ...(model !== null && { model }), ...(key !== null && { key }) };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <CopyAsCode request={request} bodies={bodies} />
      <Link to="/playground" search={repeat} className={buttonClass()}>
        <MessageSquareText size={14} aria-hidden />
        Open in playground
      </Link>
      <Link to="/requests/compare" search={{ a: id }} className={buttonClass()}>
        Compare with …
      </Link>
      <Menu label="Filter by this request" items={filterItems(request, (change) => onSearch(withChange(search, change)))} />
    </div>
  );
}

function filterItems(request: LoggedRequestInFull, narrow: (change: Parameters<typeof withChange>[1]) => void): readonly MenuItem[] {
  const { key, model, account, code, upstream, user, conversation } = request;
  // Names of end users and conversations are of an account, which members cannot choose.
  const ofAccount = account !== null && upstream !== undefined ? { account } : {};
  return [
    ...(key === null ? [] : [{ label: "This key", onSelect: () => narrow({ key }) }]),
    ...(model === null ? [] : [{ label: "This model", onSelect: () => narrow({ model }) }]),
    ...(code === null ? [] : [{ label: "This error code", onSelect: () => narrow({ code }) }]),
    { label: "This status", onSelect: () => narrow({ status: String(request.status) }) },
    ...(account === null || upstream === undefined ? [] : [{ label: "This account", onSelect: () => narrow({ account }) }]),
    ...(user === null ? [] : [{ label: "This end user", onSelect: () => narrow({ user, ...ofAccount }) }]),
    ...(conversation === null ? [] : [{ label: "This conversation", onSelect: () => narrow({ conversation, ...ofAccount }) }]),
    ...(upstream ? [{ label: "This upstream", onSelect: () => narrow({ upstream }) }] : []),
  ];
}
