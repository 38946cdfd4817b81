import { Menu as Base } from "@base-ui/react/menu";
import { Check, Columns3 } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../button.tsx";
import type { DataColumn } from "./data-column.ts";
import { useBreakpoint } from "./use-breakpoint.ts";
import type { TableSettings } from "./use-table-settings.ts";
import { isShown } from "./use-columns.ts";

interface ColumnPickerProps<Row> {
  readonly columns: readonly DataColumn<Row>[];
  readonly settings: TableSettings;
}

const look = "flex h-8 cursor-default items-center gap-2 rounded-sm px-2.5 outline-none select-none data-highlighted:bg-selected";

/** A menu that selects the columns of a table. It stays open while columns are selected. */
export function ColumnPicker<Row>({ columns, settings }: ColumnPickerProps<Row>): ReactNode {
  const breakpoint = useBreakpoint();
  return (
    <Base.Root>
      <Base.Trigger
        render={
          <Button>
            <Columns3 size={14} aria-hidden />
            Columns
          </Button>
        }
      />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50 outline-none">
          <Base.Popup className="max-h-[70dvh] min-w-44 overflow-y-auto rounded-md bg-raised p-1 shadow-over outline-none">
            {columns
              .filter(({ isFixed }) => !isFixed)
              .map((column) => (
                <Base.CheckboxItem
                  key={column.id}
                  checked={isShown(column, settings, breakpoint) && !settings.omitted.includes(column.id)}
                  onCheckedChange={(isChecked) => settings.setShown(column.id, isChecked)}
                  className={look}
                >
                  <span className="w-4">
                    <Base.CheckboxItemIndicator>
                      <Check size={14} aria-hidden />
                    </Base.CheckboxItemIndicator>
                  </span>
                  {column.title}
                </Base.CheckboxItem>
              ))}
            <Base.Item onClick={settings.reset} className={`${look} mt-1 border-t border-line`}>
              Reset columns and widths
            </Base.Item>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
