/** A program that appends entries to the given journal, and is killed in the same turn. */
import { Journal } from "../../../src/stores/ledger/journal/journal.ts";
import { hold } from "../money/ledger-samples.ts";

const journal = new Journal(process.argv[2]!, "process");
journal.begin({ entryId: 0, changeId: 0 });
for (const id of [1, 2]) journal.append([{ kind: "hold", id, ...hold(`r${id}`, 5n) }]);
process.kill(process.pid, "SIGKILL");
