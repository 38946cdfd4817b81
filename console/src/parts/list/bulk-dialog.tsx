import { useState, type ReactNode, useRef } from "react";
import { Button, type Weight } from "../button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../overlays/dialog.tsx";
import { count } from "../format/format.ts";
import { Notice } from "../notice.tsx";
import { toast } from "../overlays/toasts.tsx";
import { type BulkOutcome, type Failure, runInBulk } from "./run-in-bulk.ts";
import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { isUnauthenticated } from "../../platform/call.ts";
import { useResetOnExpiry } from "../../platform/use-api.ts";

/** An action on selected rows. */
export interface BulkAction<Row> {
  /** The verb on its button: "Pause". */
  readonly label: string;
  /** The text before the number of rows, if it is not the label: "Change limits of". */
  readonly phrase?: string;
  /** The confirmation: "12 keys paused". */
  readonly done: string;
  /** The effect of the action, and whether it can be undone. */
  readonly about: ReactNode;
  /** The style of its button: red, unless it can be undone. */
  readonly weight?: Weight;
  /** The fields of its dialog. */
  readonly fields?: ReactNode;
  /** The validation error of the fields, if any. */
  readonly problemOf?: (typed: FormData) => string | undefined;
  readonly run: (row: Row, typed: FormData) => Promise<unknown>;
}

interface BulkDialogProps<Row> {
  readonly action: BulkAction<Row>;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  /** The number of rows as text: "12 keys". */
  readonly inWords: (count: number) => string;
  /** Called with the rows that were not changed. */
  readonly onEnd: (unchanged: readonly Row[]) => void;
  readonly onClose: () => void;
}

/** Confirms an action on many rows, shows its progress, and the reason of each failure. */
export function BulkDialog<Row>({ action, nameOf, inWords, onEnd, onClose, ...props }: BulkDialogProps<Row>): ReactNode {
  const { label, phrase = label, done, about, weight = "danger", fields, problemOf, run } = action;
  const [problem, setProblem] = useState<string>();
  // The rows at the start: the list is fetched again at the end, and may then have other rows.
  const [rows] = useState(props.rows);
  const { change, finished, stop } = useBulk(run);
  const start = (typed: FormData): void => {
    const refusal = problemOf?.(typed);
    setProblem(refusal);
    if (refusal !== undefined || change.isPending) return;
    change.mutate(
      { items: rows, typed },
      {
        onSuccess({ done: changed, failures, left }) {
          onEnd([...failures.map(({ item }) => item), ...left]);
          if (changed.length < rows.length) return;
          toast(`${inWords(rows.length)} ${done}.`);
          onClose();
        },
      },
    );
  };
  if (change.data) return <Outcome of={change.data} done={done} label={label} nameOf={nameOf} inWords={inWords} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={`${phrase} ${inWords(rows.length)}?`}>
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          start(new FormData(event.currentTarget));
        }}
      >
        <DialogBody>
          <div className="text-ink-2">{about}</div>
          {fields}
          {change.isPending && <Progress finished={finished} total={rows.length} />}
          {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
          {change.error && <Notice tone="bad">{change.error.message}</Notice>}
        </DialogBody>
        <DialogFooter>
          {change.isPending ? <Button onClick={stop}>Stop</Button> : <Cancel onClick={onClose} />}
          <Button type="submit" weight={weight} busy={change.isPending}>
            {phrase} {inWords(rows.length)}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

function Progress({ finished, total }: { readonly finished: number; readonly total: number }): ReactNode {
  return (
    <div className="flex items-center gap-3 text-sm text-ink-2">
      <progress aria-label="Progress" value={finished} max={total} className="h-1.5 flex-1 accent-accent-fill" />
      <span className="figures">
        {count(finished)} of {count(total)}
      </span>
    </div>
  );
}

/** More failures make the dialog slow, and nobody reads them. */
const SHOWN_FAILURES = 100;

interface OutcomeProps<Row> extends Pick<BulkDialogProps<Row>, "nameOf" | "inWords" | "onClose"> {
  readonly of: BulkOutcome<Row>;
  readonly label: string;
  readonly done: string;
}

function Outcome<Row>({ of: { done: changed, failures, left }, done, label, nameOf, inWords, onClose }: OutcomeProps<Row>): ReactNode {
  return (
    <Dialog open onClose={onClose} title={failures.length === 0 ? "Stopped" : `${label}: ${inWords(failures.length)} failed`}>
      <DialogBody>
        <p>
          {changed.length > 0 && `${inWords(changed.length)} ${done}. `}
          {left.length > 0 && `${inWords(left.length)} left unchanged. `}
          <span className="text-ink-3">The unchanged ones are still selected.</span>
        </p>
        {failures.length > 0 && <FailureList failures={failures} nameOf={nameOf} />}
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>Close</Button>
      </DialogFooter>
    </Dialog>
  );
}

function FailureList<Row>({
  failures,
  nameOf,
}: {
  readonly failures: readonly Failure<Row>[];
  readonly nameOf: (row: Row) => string;
}): ReactNode {
  const more = failures.length - SHOWN_FAILURES;
  return (
    <ul aria-label="Failures" className="divide-y divide-line">
      {failures.slice(0, SHOWN_FAILURES).map(({ item, reason }, at) => (
        <li key={at} className="py-2 first:pt-0">
          <p className="font-medium break-words">{nameOf(item)}</p>
          <p className="text-sm break-words text-ink-2">{reason}</p>
        </li>
      ))}
      {more > 0 && <li className="py-2 text-ink-3">{count(more)} more</li>}
    </ul>
  );
}

interface BulkInput<Item> {
  readonly items: readonly Item[];
  /** The values of the dialog's fields. */
  readonly typed: FormData;
}

interface Bulk<Item> {
  readonly change: UseMutationResult<BulkOutcome<Item>, Error, BulkInput<Item>>;
  /** The number of finished items, including failed ones. */
  readonly finished: number;
  readonly stop: () => void;
}

/** Changes many items, with one request per item. Everything is fetched again at the end. */
function useBulk<Item>(run: (item: Item, typed: FormData) => Promise<unknown>): Bulk<Item> {
  const client = useQueryClient();
  const [finished, setFinished] = useState(0);
  const isStopped = useRef(false);
  const change = useMutation({
    // With a mutation key, it counts as a change in flight, and its dialog stays open.
    mutationKey: ["bulk"],
    mutationFn: ({ items, typed }: BulkInput<Item>) =>
      runInBulk(items, (item) => run(item, typed), {
        onProgress: setFinished,
        isStopped: () => isStopped.current,
        isFatal: isUnauthenticated,
      }),
    onSettled: () => void client.invalidateQueries(),
  });
  useResetOnExpiry(change);
  return { change, finished, stop: () => void (isStopped.current = true) };
}
