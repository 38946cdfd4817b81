import { memo, type ReactNode } from "react";
import { classes } from "../classes.ts";
import type { DataColumn } from "./data-column.ts";

interface TableRowProps<Row> {
  readonly row: Row;
  readonly rowKey: string;
  /** Of its checkbox. */
  readonly name: string;
  readonly index: number;
  readonly height: number;
  readonly columns: readonly DataColumn<Row>[];
  readonly isCurrent: boolean;
  /** Undefined where rows cannot be selected. */
  readonly isChecked: boolean | undefined;
  readonly onCheck: (key: string) => void;
  /** The content of a row that spans all columns. */
  readonly span: ((row: Row) => ReactNode) | undefined;
}

function PlainRow<Row>({ row, rowKey, name, index, height, columns, isCurrent, isChecked, onCheck, span }: TableRowProps<Row>): ReactNode {
  const spanning = span?.(row);
  return (
    <tr
      data-row={rowKey}
      aria-rowindex={index + 2}
      aria-selected={isChecked}
      style={{ height }}
      className={classes("relative border-t border-line hover:bg-hover", (isCurrent || isChecked) && "bg-selected hover:bg-selected")}
    >
      {spanning !== undefined && (
        <td colSpan={columns.length + (isChecked === undefined ? 0 : 1)} className="truncate px-3">
          {spanning}
        </td>
      )}
      {spanning === undefined && isChecked !== undefined && (
        <td className="pl-3">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={isChecked}
            onChange={() => onCheck(rowKey)}
            className="relative z-1 block size-3.5 accent-accent-fill"
          />
        </td>
      )}
      {spanning === undefined &&
        columns.map((column) => (
          <td key={column.id} className={classes("truncate px-3", column.figures && "figures text-right")}>
            {column.cell(row)}
          </td>
        ))}
    </tr>
  );
}

/** A row. It renders again only when it changes, not when the page scrolls. */
export const TableRow = memo(PlainRow) as typeof PlainRow;
