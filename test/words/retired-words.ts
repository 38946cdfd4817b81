/** The private words that the project has given up, and the words of the field that replace them. `test/words.test.ts` looks for them. */

export interface RetiredWord {
  /** The source of a regular expression. A space in it also matches a line break, with the beginning of a comment line. */
  readonly pattern: string;
  readonly instead: string;
  /** Only in files whose path begins so, where the word is ordinary elsewhere. */
  readonly under?: readonly string[];
}

const entry = (pattern: string, instead: string, ...under: string[]): RetiredWord => ({
  pattern,
  instead,
  ...(under.length > 0 && { under }),
});

/** Names of files, types, functions and variables. Upper and lower case count. */
export const RETIRED_NAMES: readonly RetiredWord[] = [
  entry(String.raw`\b(hear-bodies|heard-bodies|hearBodies|[hH]eardBodies|heardEvents|hearEvents)\b`, "capture-bodies, CapturedBodies"),
  entry(String.raw`\b(give-again|giveAgain|[gG]ivenAgain)\b`, "serve-cached, serveCached"),
  entry(
    String.raw`\b(keep-answer|keepAnswer|find-kept|findKept|KEPT_ANSWERS|KeptResponse|kept-answers)\b`,
    "store-in-cache, lookUpCache, CachedResponse",
  ),
  entry(String.raw`\b[kK]eptAnswers?\b`, "IdempotentReply (ledger), CachedResponse (cache)"),
  entry(String.raw`\bgiven_again\b`, "replayed"),
  entry(String.raw`["'.]explained["']|\boutcomes\.explained\b`, "dry_run"),
  entry(
    String.raw`(outcome: |value: |"failed"[ ,|]+|outcomes\.|return )"?left\b"?(?!\w)(?=[,;) ]|$)`,
    "client_closed",
    "src/requests/",
    "src/vocabulary/",
    "src/cli/",
    "console/src/",
  ),
  entry(String.raw`\w*[rR]eckon\w*`, "CostBound, maxOutputTokens; in prose: estimate"),
  entry(String.raw`\b(Room|Rooms|roomsFor|budgetRooms|hold-room|holdRoom)\b`, "Headroom"),
  entry(String.raw`\b(SpareTime|spareTime|spare-time)\b`, "BackgroundTasks"),
  entry(String.raw`\b(Chores?|chores?|doSome)\b`, "BackgroundTask, background work"),
  entry(String.raw`\b(take-over-journal|takeOverJournal)\b`, "recover-journal"),
  entry(String.raw`\bput-out\b|\bputOut\b|\bPutOut\b|: Put\b|\{ Put\b|\btype Put\b`, "stdout writer"),
  entry(String.raw`\b(known-texts|[kK]nownTexts)\b`, "authorization-cache"),
  entry(String.raw`\b(ask-as|askAs)\b`, "call-as-key"),
  entry(String.raw`\b[vV]ouch(es|ed)?\b`, "resolveCaller"),
  entry(String.raw`\bTries\b|\/tries\b`, "Attempts"),
  entry(String.raw`\b([uU]nderWay|under-way)\b`, "ActiveAttempt, in flight"),
  entry(String.raw`\b(told-limit|toldLimit|filledInLimit|tell-route|tellRoute)\b`, "default max tokens, route headers"),
  entry(String.raw`\b(OutOfPatience|readPatience|patiently|patience\w*)\b`, "DeadlineExceeded, readTimeout, withBusyTimeout, timeout"),
  entry(String.raw`\b[cC]arriages?\b(?! return)`, "ParameterMapping"),
  entry(
    String.raw`\bcarry\(|[{,] carry\b(?! [a-z])|\x60carry\x60`,
    "mapParameters",
    "src/models/",
    "src/vocabulary/parameters",
    "src/vocabulary/dialect",
    "src/upstreams/",
    "ARCHITECTURE.md",
    "docs/",
  ),
  entry(String.raw`\b(cannotSay|cannot-say)\b`, "unsupportedParameter"),
  entry(String.raw`\b[tT]akers?\b`, "Consumer"),
  entry(String.raw`\btellOf\b`, "deliver"),
  entry(String.raw`\bEnding\b(?! [a-z])`, "Cancellation"),
  entry(String.raw`\b(EndSignal|endSignal|end-signal)\b`, "CancelSignal"),
  entry(String.raw`\b[oO]utbox(es)?\b`, "WriteBuffer"),
  entry(String.raw`\bPouredBody\b|\bpour(ed|ing|s)?\b`, "StreamBody.writeTo"),
  entry(String.raw`\bPlace\b(?! [a-z])|\/place\.`, "ConnectionPool", "src/upstreams/", "src/lib/http1/client/"),
  entry(String.raw`\ballowSilence\b`, "setIdleTimeout"),
  entry(String.raw`\bturnAway\b|\bturn-away\b`, "rejectOverload"),
  entry(String.raw`\b(LateTimes|lateTimes|late-times|stores\/uses)\b`, "last-used"),
  entry(String.raw`\b(FewAtATime|fewAtATime|few-at-a-time)\b`, "ConcurrencyLimit"),
  entry(String.raw`\b(room-for-connections|roomForConnections)\b`, "file-descriptor-limit"),
  entry(String.raw`\b(DiskRoom|diskRoom|disk-room)\b`, "retention"),
  entry(String.raw`\blook-at-\w+|\blookAt[A-Z]\w*`, "alerts/rules/…"),
  entry(String.raw`\b(key-hours|[kK]eyHours|[hH]ourWatch)\b`, "hourly spend baseline"),
  entry(String.raw`\b(SteadyClock|steadyClock|steady-clock)\b`, "TrustedWallClock; monotonic"),
  entry(String.raw`\b(Grains?|grains|GRAIN_\w+)\b`, "granularity"),
  entry(String.raw`\b(Stretch|[sS]tretches)\b`, "intervals"),
  entry(String.raw`\bhalve\b`, "binarySearch; in prose: cut in half"),
  entry(String.raw`\b(if-spender-were|ifSpenderWere|if-model-were|ifModelWere)\b`, "simulate-key-change, simulate-model-change"),
  entry(String.raw`\b(in-short|[a-z]*[iI]nShort|few-in-words|fewInWords|reword(ed)?)\b`, "format-…, summarize"),
  entry(String.raw`\b(?!parse|break)[a-z]+-words\b(?!["'\x60]? of)`, "format-…", "src/", "console/src/", "ARCHITECTURE.md", "docs/"),
  entry(String.raw`\b(Brought|readBrought)\b|\bbrought[:.,)]`, "request input", "src/platform/"),
  entry(String.raw`\b(not-carried|notCarried|NotCarried)\b`, "unsupported"),
  entry(String.raw`\b([pP]laced)\b`, "converted", "src/cli/import/", "src/import/"),
  entry(String.raw`\b(furnished-gateway|furnishedGateway|careful-hands|[dD]ice)\b`, "seeded gateway, double clicks and keyboard, random"),
];

/** Phrases of comments, messages, labels and pages. Upper and lower case do not count. */
export const RETIRED_PHRASES: readonly RetiredWord[] = [
  entry(String.raw`\banew\b`, "again"),
  entry(String.raw`\b(dear|dearer|dearest)\b`, "expensive, highest"),
  entry(String.raw`\bfor want of\b`, "because of, without"),
  entry(String.raw`\bnobody waits for\b`, "background work"),
  entry(String.raw`\bkept (answers?|responses?)\b`, "response cache, cached response"),
  entry(String.raw`\banswers? (that )?(is|are|was|were) kept\b|\b(keeps?|kept) (its|their|the) answers?\b`, "cached response"),
  entry(String.raw`\bgiv(e|es|en|ing) again\b`, "replay, serve from the cache"),
  entry(String.raw`\bunder way\b`, "in flight"),
  entry(String.raw`\b(is|are|was|were|be|been|being) told\b`, "receives, is notified, reported, logged"),
  entry(String.raw`\b(hear|hears|heard|hearing)\b`, "receive, capture"),
  entry(String.raw`\bturn(s|ed|ing)? away\b`, "reject"),
  entry(String.raw`\b(how \S+( \S+)? )?fares?\b`, "status"),
  entry(String.raw`\bput(s|ting)? out\b`, "write, print"),
  entry(String.raw`\bleft out\b`, "omitted, dropped, excluded, ejected"),
  entry(String.raw`\bleft alone for\b`, "cooldown"),
  entry(String.raw`\blet(s|ting)? in\b`, "admit"),
  entry(String.raw`\bbase address(es)?\b`, "base URL"),
  entry(String.raw`\btexts? of (a|the|its|this|each) key\b|\bkey's text\b|\ba new text\b`, "plaintext key, secret"),
  entry(String.raw`\b(a|the|each|every|next|first|last|another|one|other|second|no|per) try\b(?! to\b)`, "attempt"),
  entry(String.raw`\b(the|its|of|all|two|three|more|these|those|many|few) tries\b`, "attempts"),
  entry(String.raw`\bSQLite's log\b`, "WAL"),
  entry(String.raw`\b(shown?|shows it),? this once\b|\bthis once\b`, "only once"),
  entry(String.raw`\bkey as it (was|is)\b|\bworks on (for|until)\b`, "old secret, grace period"),
  entry(String.raw`\bwhat is kept\b`, "storage"),
  entry(String.raw`\b(keep|kept) what (is|was) said\b|\bwhat (is|was) said\b`, "prompt and response logging, prompts and responses"),
  entry(String.raw`\b(who|whoever) asks\b|\bthose that fail\b`, "the caller, failed attempts"),
  entry(
    String.raw`\b(daily|monthly|total|spending|credit or|key's|account's|its) budgets?\b|\bbudget of (this|a|the|its) (key|account)\b`,
    "spend cap",
  ),
  entry(String.raw`\bleast credit\b`, "lowest balance"),
  entry(String.raw`\bfirst token after\b|\bbegins after\b`, "time to first token, time to first byte"),
  entry(String.raw`\bcaller left\b`, "client disconnected"),
  entry(String.raw`\bneeds somebody\b|\btells services of yours\b`, "needs attention, send notifications"),
  entry(String.raw`\bif it had been so\b`, "impact over"),
  entry(String.raw`\bparted from (its|their) format\b`, "format deviation"),
  entry(String.raw`\bconversations stay\b`, "session affinity"),
  entry(String.raw`\bhow its calls are treated\b`, "request handling"),
  entry(String.raw`\bits name there\b`, "upstream model"),
  entry(String.raw`\bwhat it speaks\b`, "API format"),
  entry(String.raw`\blongest answer\b`, "max output tokens"),
  entry(String.raw`\b(requests|tokens) a minute\b`, "requests per minute, tokens per minute"),
  entry(String.raw`\brequests at a time\b`, "max concurrent requests"),
  entry(String.raw`\bby the calendar in UTC\b`, "calendar day, calendar month (UTC)"),
  entry(String.raw`\bset aside (just )?now\b`, "reserved by in-flight requests"),
  entry(String.raw`\bpassword so far\b`, "current password"),
  entry(String.raw`\bI have kept it\b`, "I've saved this key"),
  entry(String.raw`\bas it came\b`, "raw, unchanged"),
  entry(String.raw`\bgo on with this\b`, "continue with this"),
  entry(String.raw`\bput in an example\b`, "insert example"),
  entry(String.raw`\bbreaking off\b`, "cancellation"),
  entry(String.raw`\banything done\b`, "all actions"),
  entry(String.raw`\bid of the thing\b`, "resource ID"),
  entry(String.raw`\bchange the end\b`, "change shutdown date"),
  entry(String.raw`\bput .{0,4}stream.{0,4}: true into\b`, 'add "stream": true'),
  entry(String.raw`\bchanges what is given\b`, "update"),
  entry(String.raw`\bas whom\b`, "current identity"),
  entry(String.raw`\bholds a provider's bill\b`, "reconcile"),
  entry(String.raw`\badds the whole ledger up\b`, "verify the ledger"),
  entry(String.raw`\bkeeps a person out\b`, "disable a person"),
];

/** Sentence patterns that are grammatical, and that a reader has to read twice. Upper and lower case do not count. Looked for in the documents. */
export const RETIRED_SENTENCES: readonly RetiredWord[] = [
  sentence(String.raw`\bso (many|often)\b(?! that\b)`, "name the number: the newest N, how often"),
  sentence(String.raw`(?<!\bthere )\b(is|are|was|were) no (?!longer\b)`, "is not a …, means no …"),
  sentence(String.raw`\bin (the )?place of\b`, "instead of"),
  sentence(String.raw`\bof which\b`, "repeat the noun"),
  sentence(String.raw`\bwhoever\b`, "anyone who"),
  sentence(String.raw`\bas of about\b`, "about a second old"),
  sentence(String.raw`\bwhat became of\b`, "the result of"),
];

/** Where the sentence patterns are looked for. */
function sentence(pattern: string, instead: string): RetiredWord {
  return entry(pattern, instead, "docs/", "README.md");
}
