import type { ReactNode } from "react";
import type { RequestCount } from "../../../../../platform-client/types.ts";
import { ColumnPicker } from "../../../parts/data-table/column-picker.tsx";
import type { TableSettings } from "../../../parts/data-table/use-table-settings.ts";
import { count, inCount } from "../../../parts/format/format.ts";
import { Switch } from "../../../parts/inputs/switch.tsx";
import { useMe } from "../../../shell/me.ts";
import { columnsFor } from "./request-columns.tsx";

interface ListBarProps {
  readonly total: RequestCount | undefined;
  readonly loaded: number;
  readonly isGrouped: boolean;
  readonly onGroup: (isGrouped: boolean) => void;
  readonly settings: TableSettings;
}

/** The line above the list: the number of requests, and how they are shown. */
export function ListBar({ total, loaded, isGrouped, onGroup, settings }: ListBarProps): ReactNode {
  const { isOperator } = useMe();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-ink-2">
        {total && formatTotal(total)}
        {isGrouped && <span className="text-ink-3"> · Conversations have the sums of the {count(loaded)} requests loaded so far.</span>}
      </p>
      <div className="ml-auto flex flex-wrap items-center gap-3 max-sm:ml-0">
        <Switch label="Group by conversation" checked={isGrouped} onChange={({ target }) => onGroup(target.checked)} />
        <ColumnPicker columns={columnsFor(isOperator, false)} settings={settings} />
      </div>
    </div>
  );
}

function formatTotal({ count: found, is_exact: isExact }: RequestCount): string {
  return isExact ? inCount(found, "request") : `at least ${inCount(found, "request")}`;
}
