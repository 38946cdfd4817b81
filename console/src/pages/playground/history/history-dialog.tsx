import { Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button, IconButton } from "../../../parts/button.tsx";
import { Dialog, DialogBody, DialogFooter } from "../../../parts/overlays/dialog.tsx";
import { moment } from "../../../parts/format/format.ts";
import { Empty } from "../../../parts/states.tsx";
import { Switch } from "../../../parts/inputs/switch.tsx";
import { clearHistory, readHistory, removeRun } from "./run-history.ts";
import type { StoredRun } from "./stored-run.ts";

interface HistoryProps {
  /** The ID of the signed-in person. */
  readonly person: string;
  readonly onOpen: (run: StoredRun) => void;
}

export function HistoryButton(props: HistoryProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button weight="quiet" onClick={() => setOpen(true)}>
        History
      </Button>
      {isOpen && <HistoryDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function HistoryDialog({ person, onOpen, onClose }: HistoryProps & { readonly onClose: () => void }): ReactNode {
  const [{ isOn, runs }, setHistory] = useState(() => readHistory(person));
  const refresh = (): void => setHistory(readHistory(person));
  const clear = (stays: boolean): void => {
    clearHistory(person, stays);
    refresh();
  };
  return (
    <Dialog open wide onClose={onClose} title="History" about="Your last 50 runs, without images. They are stored in this browser only.">
      <DialogBody>
        <div>
          <Switch label="Store my runs in this browser" checked={isOn} onChange={({ target }) => clear(target.checked)} />
          <p className="text-sm text-ink-3">Turning this off also removes the stored runs.</p>
        </div>
        {runs.length === 0 ? (
          <Empty title="No runs">{isOn ? "The next run appears here." : "The history is turned off."}</Empty>
        ) : (
          <ul aria-label="Runs" className="flex flex-col divide-y divide-line">
            {runs.map((run) => (
              <RunRow
                key={run.id}
                run={run}
                onOpen={() => {
                  onOpen(run);
                  onClose();
                }}
                onRemove={() => {
                  removeRun(person, run.id);
                  refresh();
                }}
              />
            ))}
          </ul>
        )}
      </DialogBody>
      <DialogFooter>
        <Button disabled={runs.length === 0} onClick={() => clear(isOn)}>
          Clear history
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

interface RunRowProps {
  readonly run: StoredRun;
  readonly onOpen: () => void;
  readonly onRemove: () => void;
}

function RunRow({ run, onOpen, onRemove }: RunRowProps): ReactNode {
  const title = titleOf(run);
  const startedAtMs = run.responses[0]?.progress.startedAtMs ?? 0;
  return (
    <li className="flex items-center gap-1 py-1">
      <button type="button" onClick={onOpen} className="min-w-0 flex-1 rounded-md px-2 py-1.5 text-left hover:bg-hover">
        <span className="block truncate font-medium">{title}</span>
        <span className="block truncate text-sm text-ink-3">
          {moment(startedAtMs)} · {run.responses.map(({ model }) => model).join(", ")}
        </span>
      </button>
      <IconButton small label={`Remove run: ${title}`} onClick={onRemove}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </li>
  );
}

/** The last message of the user. */
function titleOf({ draft: { turns } }: StoredRun): string {
  const last = turns.findLast(({ role }) => role === "user");
  return (last?.role === "user" && last.text.trim()) || "Message without text";
}
