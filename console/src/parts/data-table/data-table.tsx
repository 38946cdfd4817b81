import { Fragment, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState, type ReactNode, type Ref, memo } from "react";
import { classes } from "../classes.ts";
import type { Selection } from "./bulk-bar.tsx";
import type { DataColumn, Sort } from "./data-column.ts";
import { TableHead } from "./table-head.tsx";
import { useBreakpoint } from "./use-breakpoint.ts";
import { useColumns } from "./use-columns.ts";
import type { TableSettings } from "./use-table-settings.ts";
import { ROW_HEIGHT, useVirtualRows, type TableHandle } from "./use-virtual-rows.ts";

const CHECKBOX_WIDTH = 38;
/** The next rows are loaded when this many rows, or half of all rows, are left below the visible ones. */
const NEAR_END = 400;

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly DataColumn<Row>[];
  readonly settings: TableSettings;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The name of a row, for its checkbox. Default: its key. */
  readonly nameOf?: (row: Row) => string;
  /** The key of the open row. */
  readonly current?: string | undefined;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort) => void;
  readonly selection?: Selection;
  /** The number of rows, including those that are not loaded; undefined if it is not known. */
  readonly total?: number | undefined;
  /** Called when the end of the loaded rows is near. */
  readonly onNearEnd?: () => void;
  /**
   * The content of a row that spans all columns, such as the head of a group. Undefined for other rows. Pass the same function on every
   * render.
   */
  readonly span?: (row: Row) => ReactNode;
  readonly handle?: Ref<TableHandle>;
}

/**
 * A table of any number of rows. Only the visible rows are rendered. All rows have the same height; long content is truncated. The
 * user sorts by a column's header, resizes columns by their edges, and selects columns in a `ColumnPicker`. By default, as many columns are
 * shown as fit.
 */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { label, settings, rows, keyOf, nameOf = keyOf, current, total, onNearEnd, span } = props;
  // A phone has no space for checkboxes.
  const selection = useBreakpoint() > 0 ? props.selection : undefined;
  const [box, room] = useContainerWidth();
  const columns = useColumns(props.columns, settings, room - (selection ? CHECKBOX_WIDTH : 0));
  const body = useRef<HTMLTableSectionElement>(null);
  const { rendered, lastVisible, focus, show, onFocus, onKeyDown } = useVirtualRows(body, rows, keyOf);
  useImperativeHandle(props.handle, () => ({ focus, show }), [focus, show]);
  const isNearEnd = rows.length - lastVisible < Math.min(NEAR_END, rows.length / 2);
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, onNearEnd, rows.length]);
  const minWidth = columns.reduce((sum, column) => sum + widthOf(column, settings), selection ? CHECKBOX_WIDTH : 0);
  const isTooWide = minWidth > room;
  const columnCount = columns.length + (selection ? 1 : 0);
  return (
    // The header must stay at the top of the window, which is impossible inside an element that scrolls. Rows that are replaced must not
    // move the page.
    <div ref={box} className={classes("[overflow-anchor:none]", isTooWide && "overflow-x-auto")}>
      <table
        aria-label={label}
        aria-rowcount={total === undefined ? -1 : total + 1}
        style={{ minWidth }}
        className="w-full table-fixed text-left text-sm"
      >
        <colgroup>
          {selection && <col style={{ width: CHECKBOX_WIDTH }} />}
          {columns.map((column) => (
            <col key={column.id} style={column.grows ? {} : { width: widthOf(column, settings) }} />
          ))}
        </colgroup>
        <TableHead columns={columns} settings={settings} sort={props.sort} onSort={props.onSort} isSticky={!isTooWide}>
          {selection && <SelectAll selection={selection} rows={rows} keyOf={keyOf} span={span} />}
        </TableHead>
        <tbody ref={body} onFocus={onFocus} onKeyDown={onKeyDown}>
          {rendered.map((index, at) => {
            const row = rows[index]!;
            const key = keyOf(row);
            return (
              <Fragment key={key}>
                <Gap rows={index - (rendered[at - 1] ?? -1) - 1} columns={columnCount} />
                <TableRow
                  row={row}
                  rowKey={key}
                  name={nameOf(row)}
                  index={index}
                  columns={columns}
                  isCurrent={key === current}
                  isChecked={selection?.keys.has(key)}
                  onCheck={selection?.toggle ?? NOTHING}
                  span={span}
                />
              </Fragment>
            );
          })}
          <Gap rows={rows.length - (rendered.at(-1) ?? -1) - 1} columns={columnCount} />
        </tbody>
      </table>
    </div>
  );
}

const NOTHING = (): void => undefined;

function widthOf<Row>({ id, width, grows }: DataColumn<Row>, { widths }: TableSettings): number {
  return grows ? width : (widths[id] ?? width);
}

/** The width of the referenced element in pixels. While the element is hidden, its last width. */
function useContainerWidth(): readonly [(element: HTMLElement | null) => (() => void) | undefined, number] {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  const box = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const measure = (): void => {
      if (element.clientWidth > 0) setRoom(element.clientWidth);
    };
    // Measured before the first paint.
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  return [box, room];
}

interface SelectAllProps<Row> extends Pick<DataTableProps<Row>, "rows" | "keyOf"> {
  readonly selection: Selection;
  readonly span: ((row: Row) => ReactNode) | undefined;
}

/** Selects all loaded rows, except for rows that span all columns. */
function SelectAll<Row>({ selection, rows, keyOf, span }: SelectAllProps<Row>): ReactNode {
  const { size } = selection.keys;
  const selectable = useMemo(() => rows.filter((row) => span?.(row) === undefined), [rows, span]);
  return (
    <th scope="col" className="pl-3">
      <input
        type="checkbox"
        aria-label="Select all loaded rows"
        disabled={selectable.length === 0}
        checked={size > 0 && size === selectable.length}
        ref={(box) => {
          if (box) box.indeterminate = size > 0 && size < selectable.length;
        }}
        onChange={() => (size > 0 ? selection.clear() : selection.select(selectable.map(keyOf)))}
        className="block size-3.5 accent-accent-fill"
      />
    </th>
  );
}

/** The space of rows that are not rendered. */
function Gap({ rows, columns }: { readonly rows: number; readonly columns: number }): ReactNode {
  return (
    rows > 0 && (
      <tr aria-hidden style={{ height: rows * ROW_HEIGHT }}>
        <td colSpan={columns} />
      </tr>
    )
  );
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly rowKey: string;
  /** The name of the checkbox. */
  readonly name: string;
  readonly index: number;
  readonly columns: readonly DataColumn<Row>[];
  readonly isCurrent: boolean;
  /** Undefined if rows cannot be selected. */
  readonly isChecked: boolean | undefined;
  readonly onCheck: (key: string) => void;
  /** The content of a row that spans all columns. */
  readonly span: ((row: Row) => ReactNode) | undefined;
}

function PlainRow<Row>({ row, rowKey, name, index, columns, isCurrent, isChecked, onCheck, span }: TableRowProps<Row>): ReactNode {
  const spanning = span?.(row);
  return (
    <tr
      data-row={rowKey}
      aria-rowindex={index + 2}
      aria-selected={isChecked}
      style={{ height: ROW_HEIGHT }}
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

/** A table row. It renders again only when it changes, not when the page scrolls. */
const TableRow = memo(PlainRow) as typeof PlainRow;
