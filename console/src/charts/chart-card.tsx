import { ChartColumn, Download, Table2 } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { classes } from "../parts/classes.ts";
import { isEmpty, summarize, type ChartData, allSeries, rowsOf, type ChartRow } from "./chart-data.ts";
import { download } from "../parts/download.ts";
import { Legend } from "./legend.tsx";
import { ChartPlaceholder } from "./chart-placeholder.tsx";
import { Plot, type PlotProps } from "./plot.tsx";
import { toCsv } from "./to-csv.ts";
import { Table, type Column } from "../parts/table.tsx";

interface ChartCardProps extends Pick<PlotProps, "kind" | "format" | "formatAxis" | "isWhole" | "onOpen"> {
  readonly title: string;
  /** The total of the range; undefined while it loads. */
  readonly total: string | undefined;
  readonly data: ChartData | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  /** The data is of the previous range while the new one loads. */
  readonly isStale: boolean;
  readonly unit: "hour" | "day";
  /** The message for a range without data. */
  readonly empty: string;
  /** The change against the previous period, beside the total. */
  readonly change?: ReactNode;
  /** Choices of the chart, such as its measure. */
  readonly controls?: ReactNode;
  /** A remark below the chart. */
  readonly note?: string | undefined;
  readonly fileName: string;
}

/** A chart with its total, a table view and a CSV download. The height is the same in every state. */
export function ChartCard(props: ChartCardProps): ReactNode {
  const { title, total, error, change, controls, data, isStale, fileName } = props;
  const [isTable, setTable] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(NONE);
  const shown = useMemo(() => data && withoutHidden(data, hidden), [data, hidden]);
  const hasData = data !== undefined && !isEmpty(data);
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col">
      <header className="flex items-start justify-between gap-2 px-4 pt-3 max-xl:flex-wrap">
        <div className="min-w-0">
          <h2 className="text-sm text-ink-3">{title}</h2>
          <p className="figures flex min-h-6 flex-wrap items-baseline gap-x-2 text-lg font-semibold">
            {total === undefined && !error ? <span className="skeleton my-1 block h-4 w-20" /> : <span>{total ?? "–"}</span>}
            {change}
          </p>
        </div>
        {controls && (
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-2 max-xl:order-last max-xl:basis-full xl:justify-end">
            {controls}
          </div>
        )}
        <div className={classes("-mr-2 flex", !hasData && "invisible")}>
          <IconButton label={isTable ? `Show ${title} as chart` : `Show ${title} as table`} onClick={() => setTable(!isTable)}>
            {isTable ? <ChartColumn size={16} aria-hidden /> : <Table2 size={16} aria-hidden />}
          </IconButton>
          <IconButton label={`Download ${title} as CSV`} onClick={() => download(fileName, new Blob([toCsv(data!)], { type: "text/csv" }))}>
            <Download size={16} aria-hidden />
          </IconButton>
        </div>
      </header>
      <div className={classes("h-52 transition-opacity", isTable ? "mt-2 border-t border-line" : "px-2 pt-2", isStale && "opacity-60")}>
        <Body {...props} shown={shown} isTable={isTable} />
      </div>
      <Foot {...props} hidden={hidden} onHide={setHidden} />
    </section>
  );
}

function Body({
  title,
  total = "",
  data,
  shown,
  error,
  retry,
  empty,
  kind,
  format,
  formatAxis,
  isWhole = false,
  isTable,
  onOpen,
}: ChartCardProps & { readonly shown: ChartData | undefined; readonly isTable: boolean }): ReactNode {
  if (!data || !shown) return <ChartPlaceholder error={error} retry={retry} />;
  if (isEmpty(data)) return <ChartPlaceholder text={empty} />;
  if (isTable) return <ChartTable title={title} data={data} format={format} />;
  return <Plot {...{ kind, format, formatAxis, isWhole, onOpen }} data={shown} summary={summarize(title, total, data, format)} />;
}

const NONE: ReadonlySet<string> = new Set();

function withoutHidden(data: ChartData, hidden: ReadonlySet<string>): ChartData {
  return hidden.size === 0 ? data : { ...data, series: data.series.filter(({ id }) => !hidden.has(id)) };
}

interface FootProps extends ChartCardProps {
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}

function Foot({ data, note, unit, hidden, onHide }: FootProps): ReactNode {
  const isPartial = data !== undefined && !isEmpty(data) && data.slots.at(-1)?.isPartial === true;
  return (
    <footer className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 px-4 pt-1 pb-2.5 text-sm text-ink-3">
      {data && !isEmpty(data) && <Legend series={data.series} previous={data.previous} hidden={hidden} onHide={onHide} />}
      <p>{[note, isPartial && `Last ${unit} incomplete.`].filter(Boolean).join(" ")}</p>
    </footer>
  );
}

interface ChartTableProps {
  readonly title: string;
  readonly data: ChartData;
  readonly format: (value: number) => string;
}

/** The values of a chart as a table. */
function ChartTable({ title, data, format }: ChartTableProps): ReactNode {
  const series = allSeries(data);
  const columns: readonly Column<ChartRow>[] = [
    { title: "Time", cell: ({ slot }) => `${slot.title}${slot.isPartial ? " (incomplete)" : ""}` },
    ...series.map(({ label }, at) => ({
      title: label,
      figures: true,
      cell: ({ cells }: ChartRow) => (cells[at] == null ? <span className="text-ink-3">–</span> : format(cells[at])),
    })),
  ];
  return <Table fills isText dense label={title} columns={columns} rows={rowsOf({ ...data, series })} keyOf={({ slot }) => slot.name} />;
}
