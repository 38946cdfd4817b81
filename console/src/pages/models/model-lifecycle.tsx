import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../platform/interface.ts";
import { calendarDay } from "../../parts/calendar-day.ts";
import { day, moment } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { daysInWords, daysUntil } from "./format-model.ts";

/** What callers of a model that ends have to know. */
export function LifeNotice({ model }: { readonly model: Model }): ReactNode {
  if (model.state === "available") return null;
  const instead = model.replacement && (
    <>
      {" "}
      Use{" "}
      <Link to="/models/$id" params={{ id: model.replacement }} className={textLink}>
        {model.replacement}
      </Link>{" "}
      instead.
    </>
  );
  if (model.state === "retired") {
    return <Notice title="Retired">Requests for it are refused, for good.{instead}</Notice>;
  }
  return (
    <Notice tone="warn" title={model.shutdown_date ? endInWords(model.shutdown_date) : "Deprecated"}>
      It still works.{instead}
    </Notice>
  );
}

function endInWords(date: string): string {
  const days = daysUntil(date);
  const when = `${calendarDay(date)}, ${daysInWords(days)}`;
  return days < 0 ? `It was to be retired on ${when}` : `To be retired on ${when}`;
}

interface Step {
  readonly name: string;
  readonly when: string | undefined;
  readonly title?: string | undefined;
  readonly by?: string | null | undefined;
  readonly isOver: boolean;
}

function dayOf(at: string): Pick<Step, "when" | "title"> {
  return { when: day(at), title: moment(at) };
}

function stepsOf(model: Model): readonly Step[] {
  const { state, created_at, deprecated_at, retired_at, shutdown_date } = model;
  const isRetired = state === "retired";
  return [
    { name: "Available", ...dayOf(created_at), isOver: true },
    {
      name: "Deprecated",
      ...(deprecated_at ? dayOf(deprecated_at) : { when: undefined }),
      by: model.deprecated_by,
      isOver: state !== "available",
    },
    isRetired
      ? { name: "Retired", ...(retired_at ? dayOf(retired_at) : { when: undefined }), by: model.retired_by, isOver: true }
      : { name: "Retired", when: shutdown_date ? `planned for ${calendarDay(shutdown_date)}` : undefined, isOver: false },
  ];
}

/** From available over deprecated to retired: there is no way back. */
export function Life({ model }: { readonly model: Model }): ReactNode {
  return (
    <ol className="flex flex-col gap-3 sm:flex-row sm:gap-0">
      {stepsOf(model).map(({ name, when, title, by, isOver }) => (
        <li key={name} aria-current={name.toLowerCase() === model.state ? "step" : undefined} className="min-w-0 flex-1 sm:pr-4">
          <div className="mb-1.5 flex items-center max-sm:hidden" aria-hidden>
            <span className={isOver ? "size-2.5 rounded-full bg-accent-fill" : "size-2.5 rounded-full border-2 border-line-strong"} />
            {name !== "Retired" && <span className="ml-1 h-px flex-1 bg-line" />}
          </div>
          <p className={isOver ? "font-medium" : "text-ink-3"}>{name}</p>
          <p className="text-sm text-ink-3" title={title}>
            {when ?? (isOver ? "" : "not planned")}
            {by && ` by ${by}`}
          </p>
        </li>
      ))}
    </ol>
  );
}
