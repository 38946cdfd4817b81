/* Written by `npm run openapi` from openapi/platform.json: change the operation, not this file. */

export type About = { readonly version: string; readonly commit: string | null; readonly gateway_url: string; readonly request_log_days: number; readonly providers: readonly (Provider)[] };

export type AcceptInvitationRequest = { readonly token: string; readonly password: string; readonly name?: string; readonly email?: string };

export type AccessToken = { readonly id: string; readonly name: string; readonly scopes: readonly ("accounts:read" | "accounts:write" | "alerts:read" | "alerts:write" | "audit:read" | "bodies:read" | "config:write" | "credits:write" | "instances:read" | "instances:write" | "keys:read" | "keys:write" | "metrics:read" | "models:read" | "models:write" | "people:read" | "people:write" | "upstreams:read" | "upstreams:write" | "usage:read")[]; readonly active: boolean; readonly created_at: string; readonly expires_at: string; readonly last_used_at: string | null; readonly revoked_at: string | null };

export type AccessTokenPage = { readonly data: readonly (AccessToken)[]; readonly next: string | null };

export type Account = { readonly id: string; readonly name: string; readonly created_at: string; readonly models: readonly (string)[]; readonly limits: Limits; readonly caps: Caps; readonly carried_spend: CarriedSpend; readonly credit_line: string | null; readonly low_credit: string | null; readonly log_bodies: boolean; readonly attribution: "plain" | "hashed" | "off"; readonly metadata_tags: readonly (string)[]; readonly conversation_key: string | null; readonly show_credit: boolean; readonly price_list: string | null; readonly credit: string; readonly held: string; readonly available: string | null; readonly spent: Spent; readonly archived_at: string | null; readonly managed_by: "operator" | "file" };

export type AccountPage = { readonly data: readonly (Account)[]; readonly next: string | null; readonly total: number };

export type AddCredentialRequest = { readonly credential: string };

export type AdjustmentRequest = { readonly amount: string; readonly reference: string; readonly reason: string };

export type Alert = { readonly id: string; readonly type: string; readonly state: "open" | "acknowledged" | "resolved"; readonly title: string; readonly summary: string; readonly raised_at: string; readonly resolved_at: string | null; readonly acknowledged_at: string | null; readonly acknowledged_by: AlertAcknowledger; readonly account: string | null; readonly key: string | null; readonly upstream: string | null; readonly model: string | null; readonly data: Readonly<Record<string, unknown>> };

export type AlertAcknowledger = { readonly id: string; readonly name: string } | null;

export type AlertPage = { readonly data: readonly (Alert)[]; readonly next: string | null; readonly open: number };

export type Announcement = { readonly id?: number; readonly at: string; readonly model: string; readonly state: "available" | "deprecated" | "retired"; readonly shutdown_date: string | null; readonly replacement: string | null; readonly text: string; readonly by?: string };

export type AnnouncementPage = { readonly data: readonly (Announcement)[]; readonly next: string | null };

export type AuditedCounts = { readonly entries: number; readonly accounts: number; readonly requests: number };

export type AuditReport = { readonly checked: AuditedCounts; readonly as_of_entry: number; readonly discrepancy_count: number; readonly discrepancies: readonly (Readonly<Record<string, unknown>>)[] };

export type AwsIdentityInput = { readonly region: string; readonly profile?: string; readonly access_key_id?: string; readonly secret_access_key?: string; readonly session_token?: string; readonly role_arn?: string; readonly external_id?: string; readonly role_session_name?: string };

/** The identity at AWS. Without an access key, the identity of the machine or of the profile is used. */
export type AwsIdentityOrNull = { readonly region: string; readonly profile: string | null; readonly access_key_id: string | null; readonly has_session_token: boolean; readonly role_arn: string | null; readonly role_session_name: string | null; readonly has_external_id: boolean } | null;

export type AzureIdentityInput = { readonly tenant_id?: string; readonly client_id?: string; readonly client_secret?: string; readonly certificate?: string; readonly cloud?: "public" | "usgovernment" | "china" };

/** The identity at Microsoft Entra ID. Without a client secret or a certificate, the identity of the machine is used. */
export type AzureIdentityOrNull = { readonly tenant_id: string | null; readonly client_id: string | null; readonly cloud: "public" | "usgovernment" | "china"; readonly has_client_secret: boolean; readonly has_certificate: boolean } | null;

export type BackupStatus = { readonly last: LastBackup };

/** Spend caps in dollars, per calendar day and month (UTC) and in total. Fields that are null are not capped. */
export type Caps = { readonly day: string | null; readonly month: string | null; readonly total: string | null; readonly per_user: PeriodCaps; readonly per_tag: Readonly<Record<string, PeriodCaps>> | null };

/** Spend caps in dollars, per calendar day and month (UTC) and in total. Fields that are null or omitted are not capped. */
export type CapsInput = { readonly day?: string | null; readonly month?: string | null; readonly total?: string | null; readonly per_user?: PeriodCaps; readonly per_tag?: Readonly<Record<string, PeriodCaps>> | null };

export type CarriedPeriod = { readonly amount: string; readonly until: string } | null;

/** The spend at another gateway in the current period. It counts against the spend caps of the day and the month; null for none. */
export type CarriedSpend = { readonly day: CarriedPeriod; readonly month: CarriedPeriod } | null;

export type Change = { readonly id: number; readonly at: string; readonly actor: string; readonly actor_name: string; readonly address: string | null; readonly request_id: string | null; readonly action: string; readonly target: ChangeTarget; readonly account: string | null; readonly before: Readonly<Record<string, unknown>> | null; readonly after: Readonly<Record<string, unknown>> | null };

export type ChangePage = { readonly data: readonly (Change)[]; readonly next: string | null };

export type ChangePasswordRequest = { readonly current: string; readonly new: string };

export type ChangePreview = { readonly from: string; readonly to: string; readonly requests: number; readonly refused: number; readonly refused_by: Readonly<Record<string, number>>; readonly refused_end_users: number; readonly refused_tag_values: number; readonly money: PreviewedMoney; readonly keys: PreviewedKeys; readonly models: PreviewedModels; readonly price: PreviewedPrice; readonly prices_from: string | null; readonly replacement: string | null };

export type ChangeTarget = { readonly kind: string; readonly id: string };

export type CloneKeyRequest = { readonly name?: string; readonly expires_at?: string | null };

export type CloneModelRequest = { readonly id: string };

export type CodeCount = { readonly code: string; readonly requests: number };

export type ComparedResponse = { readonly status: number; readonly finish_reason: string | null; readonly prompt_tokens: number | null; readonly completion_tokens: number | null; readonly first_byte_ms: number | null; readonly duration_ms: number };

export type ConcurrencyInput = { readonly max_calls?: number; readonly max_queued?: number; readonly max_wait_ms?: number };

export type ConcurrencyOrNull = { readonly max_calls: number; readonly max_queued: number; readonly max_wait_ms: number } | null;

export type ConfigFile = { readonly file: string | null; readonly loaded_at: string | null; readonly declared: readonly (DeclaredTarget)[]; readonly pending: PendingChanges; readonly problem: string | null };

export type ConnectionTest = { readonly ok: boolean; readonly checked: string; readonly status: number | null; readonly duration_ms: number; readonly models: number | null; readonly names: readonly (string)[]; readonly ids: readonly (string)[]; readonly problem: string | null; readonly identity: IdentityHealthOrNull };

export type CreateAccessTokenRequest = { readonly name: string; readonly scopes: readonly ("accounts:read" | "accounts:write" | "alerts:read" | "alerts:write" | "audit:read" | "bodies:read" | "config:write" | "credits:write" | "instances:read" | "instances:write" | "keys:read" | "keys:write" | "metrics:read" | "models:read" | "models:write" | "people:read" | "people:write" | "upstreams:read" | "upstreams:write" | "usage:read")[]; readonly expires_at: string };

export type CreateAccountRequest = { readonly id: string; readonly name: string; readonly models?: readonly (string)[]; readonly limits?: LimitsInput; readonly caps?: CapsInput; readonly credit_line?: string | null; readonly low_credit?: string | null; readonly log_bodies?: boolean; readonly attribution?: "plain" | "hashed" | "off"; readonly metadata_tags?: readonly (string)[]; readonly conversation_key?: string | null; readonly show_credit?: boolean; readonly price_list?: string | null };

export type CreateExportRequest = { readonly format?: "csv" | "jsonl"; readonly account?: string; readonly key?: string; readonly model?: string; readonly user?: string; readonly tag?: string; readonly conversation?: string; readonly endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; readonly upstream?: string; readonly status?: string; readonly outcome?: string; readonly code?: "invalid_json" | "missing_required_parameter" | "invalid_value" | "unsupported_parameter" | "context_length_exceeded" | "content_policy_violation" | "invalid_api_key" | "api_key_paused" | "insufficient_credits" | "credits_in_flight" | "budget_exceeded" | "model_not_allowed" | "model_retired" | "unknown_url" | "method_not_allowed" | "request_too_large" | "unsupported_media_type" | "rate_limit_exceeded" | "internal_error" | "upstream_error" | "overloaded" | "no_upstream_available" | "upstream_timeout"; readonly min_cost?: string; readonly max_cost?: string; readonly min_duration_ms?: number; readonly max_duration_ms?: number; readonly min_tokens?: number; readonly max_tokens?: number; readonly min_attempts?: number; readonly max_attempts?: number; readonly error?: string; readonly mirror?: "any" | "different"; readonly from?: string; readonly to?: string };

export type CreateKeyRequest = { readonly name: string; readonly models: readonly (string)[]; readonly limits?: LimitsInput; readonly caps?: CapsInput; readonly account?: string; readonly expires_at?: string | null };

export type CreateModelRequest = { readonly id: string; readonly owned_by?: string; readonly kind?: "chat" | "embedding"; readonly accounts?: readonly (string)[] | null; readonly free?: boolean; readonly price?: PriceInput; readonly prices?: readonly (PriceInput)[]; readonly routes: readonly (RouteInput)[]; readonly context_window?: number | null; readonly max_output_tokens?: number | null; readonly capabilities?: readonly ("tools" | "images" | "files" | "audio" | "json_schema" | "reasoning" | "caching")[]; readonly parameters?: Readonly<Record<string, "pass" | "drop" | "refuse" | ParameterRename>> | null; readonly unknown_parameters?: "pass" | "drop" | "refuse" | null; readonly timeouts?: TimeoutsInputOrNull; readonly sticky?: boolean | null; readonly selection?: "weighted" | "exact" | "least_busy" | "lowest_latency" | "lowest_cost" | null; readonly cache?: ResponseCacheInputOrNull; readonly mirror?: MirrorInputOrNull; readonly fallback_models?: readonly (string | FallbackModelInput)[] | null };

export type CreatePriceListRequest = { readonly id: string; readonly name: string; readonly percent?: number | null; readonly percents?: readonly (DatedPercentInput)[]; readonly models?: Readonly<Record<string, ListedModelInput>> };

export type CreateServiceTokenRequest = { readonly service: string; readonly scopes: readonly ("accounts:read" | "accounts:write" | "alerts:read" | "alerts:write" | "audit:read" | "bodies:read" | "config:write" | "credits:write" | "instances:read" | "instances:write" | "keys:read" | "keys:write" | "metrics:read" | "models:read" | "models:write" | "people:read" | "people:write" | "upstreams:read" | "upstreams:write" | "usage:read")[]; readonly expires_at: string };

export type CreateUpstreamRequest = { readonly id: string; readonly preset?: "openai" | "anthropic" | "gemini" | "azure" | "azure-deployments" | "bedrock" | "bedrock-converse" | "vertex" | "vertex-gemini" | "vertex-claude" | "mistral" | "groq" | "deepseek" | "xai" | "together" | "fireworks" | "openrouter" | "cerebras" | "perplexity" | "moonshot" | "qwen" | "cohere" | "ollama" | "lm-studio" | "vllm" | "llama-cpp"; readonly dialect?: "openai" | "responses" | "anthropic" | "gemini" | "bedrock" | "echo"; readonly base_url?: string; readonly api_version?: string | null; readonly allow_private?: boolean; readonly credential?: string; readonly credentials?: readonly (string)[]; readonly aws?: AwsIdentityInput; readonly google?: GoogleIdentityInput; readonly azure?: AzureIdentityInput; readonly timeouts?: UpstreamTimeoutsInput; readonly concurrency?: ConcurrencyInput; readonly unknown_parameters?: "pass" | "drop" | "refuse" | null; readonly headers?: HeadersInputOrNull; readonly organization?: string | null; readonly project?: string | null };

export type CreateViewRequest = { readonly name: string; readonly page: string; readonly query: string };

export type CreateWebhookRequest = { readonly kind?: "webhook" | "slack" | "teams" | "discord" | "pagerduty" | "email"; readonly name: string; readonly url?: string; readonly allow_private?: boolean; readonly alerts?: readonly ("credit.low" | "cap.near" | "cap.reached" | "upstream.ejected" | "upstream.restored" | "upstream.identity_failed" | "upstream.identity_restored" | "upstream.usage_implausible" | "upstream.usage_unpriced" | "model.retiring" | "model.sold_below_cost" | "key.unusual_spend")[] | null; readonly paused?: boolean; readonly routing_key?: string };

export type CredentialHealth = { readonly last4: string | null; readonly cooldown_ms: number; readonly reason: "busy" | "credential" | null; readonly models: readonly (RateLimitCooldown)[] };

export type CredentialMark = { readonly last4: string | null };

export type DatedPercent = { readonly percent: number; readonly effective_at: string };

export type DatedPercentInput = { readonly percent: number; readonly effective?: string };

/** Differences to the previous configuration. All three lists are empty when the file has not changed. An account that is removed from the file keeps its settings. */
export type DeclaredChanges = { readonly added: readonly (DeclaredTarget)[]; readonly changed: readonly (DeclaredTarget)[]; readonly removed: readonly (DeclaredTarget)[] };

export type DeclaredTarget = { readonly kind: "upstream" | "model" | "price_list" | "account" | "endpoint"; readonly id: string };

export type DefaultParametersInputOrNull = Readonly<Record<string, unknown>> | null;

export type Delivery = { readonly id: number; readonly message_id: string; readonly type: string; readonly state: "pending" | "delivered" | "failed" | "dropped"; readonly created_at: string; readonly next_attempt_at: string | null; readonly attempts: readonly (DeliveryAttempt)[] };

export type DeliveryAttempt = { readonly at: string; readonly status: number | null; readonly duration_ms: number; readonly problem: string | null };

export type DeliveryPage = { readonly data: readonly (Delivery)[]; readonly next: string | null };

export type DeprecateModelRequest = { readonly shutdown_date: string; readonly replacement: string };

export type DeviationCount = { readonly model: string; readonly deviation: "id_missing" | "id_changed" | "created_malformed" | "created_changed" | "object_wrong" | "error_null" | "choices_missing" | "choices_empty" | "index_missing" | "delta_missing" | "role_missing" | "role_repeated" | "message_malformed" | "content_missing" | "content_in_parts" | "reasoning_renamed" | "tool_index_wrong" | "tool_id_missing" | "tool_type_missing" | "tool_function_missing" | "tool_name_missing" | "tool_head_repeated" | "arguments_not_text" | "arguments_empty" | "arguments_unparsable" | "finish_reason_missing" | "finish_reason_renamed" | "finish_reason_unknown" | "finish_reason_wrong" | "finish_reason_repeated" | "text_after_finish" | "usage_malformed" | "usage_misplaced" | "usage_repeated" | "usage_per_choice" | "usage_implausible" | "usage_unpriced" | "usage_missing" | "event_unexpected" | "done_missing" | "reasoning_rejected" | "embedding_encoding"; readonly handling: "mended" | "counted"; readonly responses: number };

export type DeviationPage = { readonly data: readonly (DeviationCount)[]; readonly next: string | null };

export type DoctorCheck = { readonly name: "identity" | "json" | "stream" | "tools" | "json_schema" | "embeddings" | "order" | "base64" | "usage" | "cancel" | "error"; readonly outcome: "passed" | "warned" | "failed" | "skipped"; readonly duration_ms: number; readonly detail: string };

export type DoctorReport = { readonly upstream: string; readonly model: string; readonly checks: readonly (DoctorCheck)[]; readonly deviations: readonly ("id_missing" | "id_changed" | "created_malformed" | "created_changed" | "object_wrong" | "error_null" | "choices_missing" | "choices_empty" | "index_missing" | "delta_missing" | "role_missing" | "role_repeated" | "message_malformed" | "content_missing" | "content_in_parts" | "reasoning_renamed" | "tool_index_wrong" | "tool_id_missing" | "tool_type_missing" | "tool_function_missing" | "tool_name_missing" | "tool_head_repeated" | "arguments_not_text" | "arguments_empty" | "arguments_unparsable" | "finish_reason_missing" | "finish_reason_renamed" | "finish_reason_unknown" | "finish_reason_wrong" | "finish_reason_repeated" | "text_after_finish" | "usage_malformed" | "usage_misplaced" | "usage_repeated" | "usage_per_choice" | "usage_implausible" | "usage_unpriced" | "usage_missing" | "event_unexpected" | "done_missing" | "reasoning_rejected" | "embedding_encoding")[]; readonly tokens: number };

/** Possible reasons for a difference without an error on either side. */
export type DriftReasons = { readonly unmeasured_requests: number; readonly unmeasured_tokens: number; readonly unanswered_attempts: number; readonly requests_across_midnight: number; readonly rounded_by: string };

export type Entry = { readonly number?: number; readonly id?: number; readonly kind: "grant" | "adjustment" | "settle" | "release"; readonly account: string; readonly amount: string; readonly at: string; readonly actor: string; readonly reason: string; readonly reference?: string; readonly request_id?: string; readonly key?: string; readonly model?: string; readonly user?: string | null; readonly tags?: Tags; readonly conversation?: string | null; readonly endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; readonly price_version?: string; readonly uncharged?: string; readonly usage?: Usage; readonly provenance?: "measured" | "partial" | "estimated"; readonly upstream?: string; readonly attempts?: number };

export type EntryPage = { readonly data: readonly (Entry)[]; readonly next: string | null };

export type ErasedEndUser = { readonly account: string; readonly entries: number; readonly conversations: number; readonly requests: number };

export type EraseEndUserRequest = { readonly user: string };

export type Error = { readonly error: ErrorDetail };

export type ErrorDetail = { readonly message: string; readonly type: string; readonly param: string | null; readonly code: string; readonly innererror?: InnerError };

export type ExamineUpstreamRequest = { readonly model: string; readonly kind?: "chat" | "embedding" };

export type ExportEndUserRequest = { readonly user: string };

/** The filters that were given. */
export type ExportFilters = { readonly account?: string; readonly key?: string; readonly model?: string; readonly user?: string; readonly tag?: string; readonly conversation?: string; readonly endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; readonly upstream?: string; readonly status?: string; readonly outcome?: string; readonly code?: "invalid_json" | "missing_required_parameter" | "invalid_value" | "unsupported_parameter" | "context_length_exceeded" | "content_policy_violation" | "invalid_api_key" | "api_key_paused" | "insufficient_credits" | "credits_in_flight" | "budget_exceeded" | "model_not_allowed" | "model_retired" | "unknown_url" | "method_not_allowed" | "request_too_large" | "unsupported_media_type" | "rate_limit_exceeded" | "internal_error" | "upstream_error" | "overloaded" | "no_upstream_available" | "upstream_timeout"; readonly min_cost?: string; readonly max_cost?: string; readonly min_duration_ms?: number; readonly max_duration_ms?: number; readonly min_tokens?: number; readonly max_tokens?: number; readonly min_attempts?: number; readonly max_attempts?: number; readonly error?: string; readonly mirror?: "any" | "different"; readonly from?: string; readonly to?: string };

export type FailedAttempt = { readonly upstream: string; readonly model: string; readonly fault: "unreachable" | "proxy" | "busy" | "credential" | "failed" | "slow" | "broken" | "unsupported" | "refused"; readonly duration_ms: number; readonly detail: string };

export type FallbackModel = { readonly model: string; readonly on: readonly ("error" | "context_length" | "content_filter")[] };

export type FallbackModelInput = { readonly model: string; readonly on?: readonly ("error" | "context_length" | "content_filter")[] };

export type FindImportedKeysRequest = { readonly sha256: readonly (string)[] };

export type FoundImportedKeys = { readonly keys: readonly (string | null)[]; readonly accounts: readonly (string | null)[] };

export type GoogleIdentityInput = { readonly project?: string; readonly location?: string; readonly credentials?: string; readonly credentials_file?: string };

/** The identity at Google Cloud. Without credentials, the identity of the machine is used. */
export type GoogleIdentityOrNull = { readonly project: string | null; readonly location: string | null; readonly credentials_file: string | null; readonly has_credentials: boolean } | null;

export type GrantRequest = { readonly amount: string; readonly reference: string; readonly reason: string };

export type HeadersInputOrNull = Readonly<Record<string, string | null>> | null;

/** The identity at a cloud; null for an upstream without one. */
export type IdentityHealthOrNull = { readonly source: string | null; readonly expires_at: string | null; readonly failure: string | null; readonly refresh_failures: number; readonly clock_skew_ms: number } | null;

/** The gateway that it was imported from, and when, while it has its secret from there; null for other keys, and after a rotation. */
export type ImportedFrom = { readonly from: string; readonly source: string | null; readonly at: string } | null;

export type ImportedKey = { readonly sha256: string; readonly name: string; readonly account: string; readonly models: readonly (string)[]; readonly limits?: LimitsInput; readonly caps?: CapsInput; readonly carried_spend?: CarriedSpend; readonly created_at?: string; readonly expires_at?: string | null; readonly paused?: boolean };

export type ImportedKeyOutcome = { readonly id: string; readonly outcome: "created" | "updated" | "unchanged" | "kept" | "conflict" | "guessable" };

export type ImportedKeys = { readonly keys: readonly (ImportedKeyOutcome)[] };

export type ImportedSpend = { readonly id: string; readonly carried_spend: CarriedSpend };

export type ImportedSpends = { readonly changed: readonly (boolean)[] };

export type ImportKeysRequest = { readonly from: "litellm" | "one-api" | "new-api"; readonly source?: string; readonly keys: readonly (ImportedKey)[] };

export type ImportSpendRequest = { readonly accounts: readonly (ImportedSpend)[] };

/** Why the content filter of Azure rejected the prompt. Only with the code `content_policy_violation`. */
export type InnerError = { readonly code: string; readonly content_filter_result: Readonly<Record<string, unknown>> };

export type Instance = { readonly id: string; readonly role: "single" | "owner" | "gateway" | "platform" | "all"; readonly state: "starting" | "live" | "disconnected" | "draining" | "written_off"; readonly host: string; readonly pid: number; readonly version: string; readonly started_at: string; readonly heartbeat_age_ms: number | null; readonly in_flight: number; readonly connections: number; readonly memory_bytes: number; readonly leased: string; readonly lease_count: number; readonly open_holds: number | null; readonly held: string | null; readonly config: "declared" | "other" | null };

export type InstanceList = { readonly data: readonly (Instance)[]; readonly restarting: boolean };

export type InstanceWithLeases = { readonly id: string; readonly role: "single" | "owner" | "gateway" | "platform" | "all"; readonly state: "starting" | "live" | "disconnected" | "draining" | "written_off"; readonly host: string; readonly pid: number; readonly version: string; readonly started_at: string; readonly heartbeat_age_ms: number | null; readonly in_flight: number; readonly connections: number; readonly memory_bytes: number; readonly leased: string; readonly lease_count: number; readonly open_holds: number | null; readonly held: string | null; readonly config: "declared" | "other" | null; readonly leases: readonly (Lease)[] };

/** The one-time link to set a password. Null when it was shown before. */
export type Invitation = { readonly url: string; readonly expires_at: string } | null;

export type InvitedAs = { readonly email: string | null; readonly name: string | null; readonly role: "operator" | "member" };

export type InvitedPerson = { readonly id: string; readonly email: string; readonly name: string; readonly role: "operator" | "member"; readonly account: string | null; readonly has_password: boolean; readonly has_identity: boolean; readonly invited_until: string | null; readonly created_at: string; readonly disabled_at: string | null; readonly archived_at: string | null; readonly invitation: Invitation };

export type InvitePersonRequest = { readonly email: string; readonly name: string; readonly role: "operator" | "member"; readonly account?: string };

export type Key = { readonly id: string; readonly name: string; readonly account: string; readonly models: readonly (string)[]; readonly limits: Limits; readonly caps: Caps; readonly carried_spend: CarriedSpend; readonly held: string; readonly spent: Spent; readonly active: boolean; readonly state: "active" | "paused" | "expired" | "revoked"; readonly created_at: string; readonly expires_at: string | null; readonly revoked_at: string | null; readonly paused_at: string | null; readonly archived_at: string | null; readonly previous_key_works_until: string | null; readonly last_used_at: string | null; readonly imported: ImportedFrom };

export type KeyAfterRevoke = { readonly id: string; readonly name: string; readonly account: string; readonly models: readonly (string)[]; readonly limits: Limits; readonly caps: Caps; readonly carried_spend: CarriedSpend; readonly held: string; readonly spent: Spent; readonly active: boolean; readonly state: "active" | "paused" | "expired" | "revoked"; readonly created_at: string; readonly expires_at: string | null; readonly revoked_at: string | null; readonly paused_at: string | null; readonly archived_at: string | null; readonly previous_key_works_until: string | null; readonly last_used_at: string | null; readonly imported: ImportedFrom; readonly was_revoked_before: boolean };

export type KeyPage = { readonly data: readonly (Key)[]; readonly next: string | null; readonly total: number };

/** The last backup that was made on the machine that responds; null when none is known. */
export type LastBackup = { readonly created_at: string; readonly path: string; readonly bytes: number; readonly version: string; readonly entries: number; readonly hash_secret: boolean; readonly credentials: boolean; readonly request_log_days: number; readonly unshipped: readonly (string)[] } | null;

/** The part of a credit, or of spend caps, that the process may spend on its own. */
export type Lease = { readonly kind: "account" | "key" | "user" | "tag"; readonly id: string; readonly amount: string };

/** Rate limits. Fields that are null are not limited. */
export type Limits = { readonly requests_per_minute: number | null; readonly tokens_per_minute: number | null; readonly concurrent_requests: number | null; readonly per_user: RateLimits; readonly per_tag: Readonly<Record<string, RateLimits>> | null };

/** Rate limits. Fields that are null or omitted are not limited. */
export type LimitsInput = { readonly requests_per_minute?: number | null; readonly tokens_per_minute?: number | null; readonly concurrent_requests?: number | null; readonly per_user?: RateLimits; readonly per_tag?: Readonly<Record<string, RateLimits>> | null };

export type ListedModelInput = { readonly free?: boolean; readonly price?: PriceInput; readonly prices?: readonly (PriceInput)[] };

export type LoggedAttempt = { readonly upstream: string; readonly model: string; readonly started_ms: number; readonly duration_ms: number | null; readonly outcome: "answered" | "refused" | "abandoned" | "unreachable" | "proxy" | "busy" | "credential" | "failed" | "slow" | "broken" | "unsupported" | null; readonly detail: string | null; readonly fallback: string | null };

export type LoggedRequest = { readonly request_id: string; readonly started_at: string; readonly ended_at: string; readonly account: string | null; readonly key: string | null; readonly key_name: string | null; readonly model: string | null; readonly answered_by: string | null; readonly stream: boolean; readonly status: number; readonly outcome: "complete" | "replayed" | "dry_run" | "refused" | "failed" | "client_closed"; readonly code: string | null; readonly param: string | null; readonly attempts: number; readonly from_cache: boolean; readonly usage: UsageOrNull; readonly provenance: "measured" | "partial" | "estimated" | null; readonly cost: string | null; readonly duration_ms: number; readonly first_token_ms: number | null; readonly overhead_ms: number | null; readonly request_bytes: number; readonly reply_bytes: number; readonly client: string | null; readonly user: string | null; readonly tags: Tags; readonly conversation: string | null; readonly endpoint: "chat_completions" | "messages" | "responses" | "embeddings"; readonly upstream?: string | null; readonly mirror?: MirrorResultOrNull; readonly detail?: string | null };

export type LoggedRequestInFull = { readonly request_id: string; readonly started_at: string; readonly ended_at: string; readonly account: string | null; readonly key: string | null; readonly key_name: string | null; readonly model: string | null; readonly answered_by: string | null; readonly stream: boolean; readonly status: number; readonly outcome: "complete" | "replayed" | "dry_run" | "refused" | "failed" | "client_closed"; readonly code: string | null; readonly param: string | null; readonly attempts: number; readonly from_cache: boolean; readonly usage: UsageOrNull; readonly provenance: "measured" | "partial" | "estimated" | null; readonly cost: string | null; readonly duration_ms: number; readonly first_token_ms: number | null; readonly overhead_ms: number | null; readonly request_bytes: number; readonly reply_bytes: number; readonly client: string | null; readonly user: string | null; readonly tags: Tags; readonly conversation: string | null; readonly endpoint: "chat_completions" | "messages" | "responses" | "embeddings"; readonly upstream?: string | null; readonly mirror?: MirrorResultOrNull; readonly detail?: string | null; readonly receipt: string | null; readonly trace_id?: string | null; readonly all_attempts?: readonly (LoggedAttempt)[]; readonly bodies?: string | null };

export type MarginPage = { readonly data: readonly (MarginRow)[]; readonly next: string | null; readonly zone: string; readonly from: string; readonly to: string; readonly total: MarginTotal };

export type MarginRow = { readonly hour?: string; readonly day?: string; readonly weekday?: number; readonly hour_of_day?: number; readonly is_other?: boolean; readonly is_partial?: boolean; readonly model?: string; readonly key?: string; readonly key_name?: string | null; readonly account?: string; readonly upstream?: string | null; readonly user?: string; readonly conversation?: string; readonly tag?: string; readonly endpoint?: string; readonly requests: number; readonly charged: string; readonly unknown_requests: number; readonly sold: string; readonly upstream_cost: string | null; readonly margin: string | null; readonly margin_percent: number | null };

/** The total of all pages. */
export type MarginTotal = { readonly requests: number; readonly charged: string; readonly unknown_requests: number; readonly sold: string; readonly upstream_cost: string | null; readonly margin: string | null; readonly margin_percent: number | null };

export type Me = { readonly credential: "session" | "access_token" | "operator_token"; readonly role: "operator" | "member"; readonly account: string | null; readonly scopes: readonly ("accounts:read" | "accounts:write" | "alerts:read" | "alerts:write" | "audit:read" | "bodies:read" | "config:write" | "credits:write" | "instances:read" | "instances:write" | "keys:read" | "keys:write" | "metrics:read" | "models:read" | "models:write" | "people:read" | "people:write" | "upstreams:read" | "upstreams:write" | "usage:read")[] | null; readonly person: MePerson; readonly service: string | null };

/** The person; null for the operator token, which belongs to nobody, and for the access token of a service. */
export type MePerson = { readonly id: string; readonly email: string; readonly name: string; readonly role: "operator" | "member"; readonly account: string | null; readonly has_password: boolean; readonly has_identity: boolean; readonly invited_until: string | null; readonly created_at: string; readonly disabled_at: string | null; readonly archived_at: string | null } | null;

export type MirrorInputOrNull = { readonly upstream: string; readonly model: string; readonly percent: number } | null;

/** The mirror: the upstream that receives a copy of this percentage of the requests; null without one. Shown to operators. */
export type MirrorOrNull = { readonly upstream: string; readonly model: string; readonly percent: number } | null;

export type MirrorReport = { readonly model: string; readonly since: string; readonly requests: number; readonly same_status: number; readonly finished: number; readonly same_finish_reason: number; readonly prompt_token_ratio: number | null; readonly completion_token_ratio: number | null; readonly first_byte_ratio: number | null; readonly duration_ratio: number | null };

/** The response of the model's mirror, beside the caller's response from its last attempt; null if the request was not mirrored. Shown to operators. */
export type MirrorResultOrNull = { readonly upstream: string; readonly model: string; readonly response: ComparedResponse; readonly mirror: ComparedResponse; readonly detail: string | null } | null;

export type Model = { readonly id: string; readonly owned_by: string; readonly created_at: string; readonly kind: "chat" | "embedding"; readonly state: "available" | "deprecated" | "retired"; readonly shutdown_date: string | null; readonly replacement: string | null; readonly deprecated_at: string | null; readonly retired_at: string | null; readonly price: PriceInForce; readonly upcoming_prices: readonly (Price)[]; readonly context_window: number | null; readonly max_output_tokens: number | null; readonly capabilities: readonly ("tools" | "images" | "files" | "audio" | "json_schema" | "reasoning" | "caching")[]; readonly archived_at?: string | null; readonly expanded_from?: string | null; readonly expands_to?: readonly (string)[] | null; readonly managed_by?: "operator" | "file" | "environment" | "wildcard"; readonly deprecated_by?: string | null; readonly retired_by?: string | null; readonly past_prices?: readonly (Price)[]; readonly accounts?: readonly (string)[] | null; readonly routes?: readonly (Route)[]; readonly parameters?: Readonly<Record<string, "pass" | "drop" | "refuse" | ParameterRename>>; readonly unknown_parameters?: "pass" | "drop" | "refuse" | null; readonly timeouts?: Timeouts; readonly sticky?: boolean | null; readonly selection?: "weighted" | "exact" | "least_busy" | "lowest_latency" | "lowest_cost"; readonly cache?: ResponseCacheOrNull; readonly mirror?: MirrorOrNull; readonly fallback_models?: readonly (FallbackModel)[] };

export type ModelHealth = { readonly model: string; readonly state: "healthy" | "ejected" | "probing"; readonly probe_in_ms: number; readonly in_flight: number; readonly latency_ms: number | null; readonly recent_calls: number; readonly recent_failures: number };

export type ModelKey = { readonly key: string; readonly name: string; readonly account: string; readonly last_used_at: string; readonly requests: number };

export type ModelKeyPage = { readonly data: readonly (ModelKey)[]; readonly next: string | null };

export type ModelPage = { readonly data: readonly (Model)[]; readonly next: string | null; readonly total: number };

export type NewAccessToken = { readonly id: string; readonly name: string; readonly scopes: readonly ("accounts:read" | "accounts:write" | "alerts:read" | "alerts:write" | "audit:read" | "bodies:read" | "config:write" | "credits:write" | "instances:read" | "instances:write" | "keys:read" | "keys:write" | "metrics:read" | "models:read" | "models:write" | "people:read" | "people:write" | "upstreams:read" | "upstreams:write" | "usage:read")[]; readonly active: boolean; readonly created_at: string; readonly expires_at: string; readonly last_used_at: string | null; readonly revoked_at: string | null; readonly token: string | null };

export type NewAccount = { readonly id: string; readonly name: string; readonly created_at: string; readonly models: readonly (string)[]; readonly limits: Limits; readonly caps: Caps; readonly carried_spend: CarriedSpend; readonly credit_line: string | null; readonly low_credit: string | null; readonly log_bodies: boolean; readonly attribution: "plain" | "hashed" | "off"; readonly metadata_tags: readonly (string)[]; readonly conversation_key: string | null; readonly show_credit: boolean; readonly price_list: string | null; readonly credit: string; readonly held: string; readonly available: string | null; readonly spent: Spent; readonly archived_at: string | null; readonly managed_by: "operator" | "file"; readonly unknown_models?: readonly (string)[] };

export type NewKey = { readonly id: string; readonly name: string; readonly account: string; readonly models: readonly (string)[]; readonly limits: Limits; readonly caps: Caps; readonly carried_spend: CarriedSpend; readonly held: string; readonly spent: Spent; readonly active: boolean; readonly state: "active" | "paused" | "expired" | "revoked"; readonly created_at: string; readonly expires_at: string | null; readonly revoked_at: string | null; readonly paused_at: string | null; readonly archived_at: string | null; readonly previous_key_works_until: string | null; readonly last_used_at: string | null; readonly imported: ImportedFrom; readonly key?: string | null; readonly unknown_models?: readonly (string)[] };

export type NewServiceToken = { readonly id: string; readonly name: string; readonly scopes: readonly ("accounts:read" | "accounts:write" | "alerts:read" | "alerts:write" | "audit:read" | "bodies:read" | "config:write" | "credits:write" | "instances:read" | "instances:write" | "keys:read" | "keys:write" | "metrics:read" | "models:read" | "models:write" | "people:read" | "people:write" | "upstreams:read" | "upstreams:write" | "usage:read")[]; readonly active: boolean; readonly created_at: string; readonly expires_at: string; readonly last_used_at: string | null; readonly revoked_at: string | null; readonly service: string; readonly token: string | null };

export type NewWebhook = { readonly id: string; readonly kind: "webhook" | "slack" | "teams" | "discord" | "pagerduty" | "email"; readonly name: string; readonly url: string; readonly allow_private: boolean; readonly alerts: readonly ("credit.low" | "cap.near" | "cap.reached" | "upstream.ejected" | "upstream.restored" | "upstream.identity_failed" | "upstream.identity_restored" | "upstream.usage_implausible" | "upstream.usage_unpriced" | "model.retiring" | "model.sold_below_cost" | "key.unusual_spend")[] | null; readonly paused: boolean; readonly paused_because: string | null; readonly previous_secret_signs_until: string | null; readonly created_at: string; readonly secret?: string | null };

export type NotCompared = { readonly day: string; readonly model: string | null; readonly reason: "outside_range" | "not_in_ledger" | "not_on_bill" | "no_cost_price" | "no_model_name"; readonly bill: string | null; readonly ledger: string | null };

export type OptionalEndpoint = { readonly id: "messages" | "responses" | "embeddings"; readonly path: string; readonly enabled: boolean; readonly managed_by: "operator" | "file" };

export type OptionalEndpointList = { readonly data: readonly (OptionalEndpoint)[] };

/** The number of requests by outcome. */
export type OutcomeCounts = { readonly complete: number; readonly replayed: number; readonly dry_run: number; readonly refused: number; readonly failed: number; readonly client_closed: number };

export type ParameterRename = { readonly rename: string };

/** The changes that a reload would make now; null when the file would be rejected. */
export type PendingChanges = { readonly added: readonly (DeclaredTarget)[]; readonly changed: readonly (DeclaredTarget)[]; readonly removed: readonly (DeclaredTarget)[] } | null;

/** Spend caps of each end user in dollars, per calendar day and month (UTC). Requests without a user count as one user. Fields that are null or omitted are not capped. */
export type PeriodCaps = { readonly day?: string | null; readonly month?: string | null } | null;

export type Person = { readonly id: string; readonly email: string; readonly name: string; readonly role: "operator" | "member"; readonly account: string | null; readonly has_password: boolean; readonly has_identity: boolean; readonly invited_until: string | null; readonly created_at: string; readonly disabled_at: string | null; readonly archived_at: string | null };

export type PersonPage = { readonly data: readonly (Person)[]; readonly next: string | null; readonly total: number };

export type PreviewedKey = { readonly id: string; readonly name: string; readonly account: string; readonly requests: number; readonly refused: number; readonly charged: string; readonly would_be_charged: string };

export type PreviewedKeys = { readonly count: number; readonly first: readonly (PreviewedKey)[] };

export type PreviewedModel = { readonly id: string; readonly requests: number; readonly refused: number; readonly charged: string; readonly would_be_charged: string };

export type PreviewedModels = { readonly count: number; readonly first: readonly (PreviewedModel)[] };

export type PreviewedMoney = { readonly charged: string; readonly would_be_charged: string; readonly difference: string };

/** The new price; null when it does not change. */
export type PreviewedPrice = { readonly version: string; readonly effective_at: string; readonly source: string; readonly price_list: string | null; readonly input_per_million: number; readonly cached_input_per_million: number; readonly cache_write_per_million: number; readonly output_per_million: number; readonly reasoning_per_million: number; readonly cache_write_1h_per_million?: number; readonly tiers: readonly (PriceTier)[]; readonly multipliers: Readonly<Record<string, number>>; readonly tool_fees: Readonly<Record<string, number>> } | null;

export type Price = { readonly version: string; readonly effective_at: string; readonly source: string; readonly price_list: string | null; readonly input_per_million: number; readonly cached_input_per_million: number; readonly cache_write_per_million: number; readonly output_per_million: number; readonly reasoning_per_million: number; readonly cache_write_1h_per_million?: number; readonly tiers: readonly (PriceTier)[]; readonly multipliers: Readonly<Record<string, number>>; readonly tool_fees: Readonly<Record<string, number>> };

export type PriceCapInputOrNull = { readonly input_per_million?: number | null; readonly output_per_million?: number | null } | null;

/** The price cap: the route is used only up to this list price, in dollars per million tokens. */
export type PriceCapOrNull = { readonly input_per_million: number | null; readonly output_per_million: number | null } | null;

export type PriceChange = { readonly at: string; readonly by: string; readonly declared: Readonly<Record<string, unknown>> };

/** The price that `price` is a percentage of: the base price for a price list, the usual price for a cached response. Null for others. Shown to operators. */
export type PriceDerivation = { readonly percent: number; readonly price: PriceOrNull } | null;

export type PriceInForce = { readonly version: string; readonly effective_at: string; readonly source: string; readonly price_list: string | null; readonly input_per_million: number; readonly cached_input_per_million: number; readonly cache_write_per_million: number; readonly output_per_million: number; readonly reasoning_per_million: number; readonly cache_write_1h_per_million?: number; readonly tiers: readonly (PriceTier)[]; readonly multipliers: Readonly<Record<string, number>>; readonly tool_fees: Readonly<Record<string, number>> } | null;

export type PriceInput = { readonly input_per_million: number; readonly output_per_million?: number; readonly cached_input_per_million?: number; readonly cache_write_per_million?: number; readonly cache_write_1h_per_million?: number; readonly reasoning_per_million?: number; readonly multipliers?: Readonly<Record<string, number>>; readonly tool_fees?: Readonly<Record<string, number>>; readonly effective?: string; readonly tiers?: readonly (PriceTierInput)[] };

export type PriceList = { readonly id: string; readonly name: string; readonly percents: readonly (DatedPercent)[]; readonly models: Readonly<Record<string, readonly (Price)[]>>; readonly unknown_models: readonly (string)[]; readonly accounts: number; readonly managed_by: "operator" | "file" };

export type PriceListPage = { readonly data: readonly (PriceList)[]; readonly next: string | null };

export type PriceOrNull = { readonly version: string; readonly effective_at: string; readonly source: string; readonly price_list: string | null; readonly input_per_million: number; readonly cached_input_per_million: number; readonly cache_write_per_million: number; readonly output_per_million: number; readonly reasoning_per_million: number; readonly cache_write_1h_per_million?: number; readonly tiers: readonly (PriceTier)[]; readonly multipliers: Readonly<Record<string, number>>; readonly tool_fees: Readonly<Record<string, number>> } | null;

export type PriceTier = { readonly above_input_tokens: number; readonly input_per_million: number; readonly cached_input_per_million: number; readonly cache_write_per_million: number; readonly output_per_million: number; readonly reasoning_per_million: number; readonly cache_write_1h_per_million?: number };

export type PriceTierInput = { readonly above_input_tokens: number; readonly input_per_million: number; readonly output_per_million?: number; readonly cached_input_per_million?: number; readonly cache_write_per_million?: number; readonly cache_write_1h_per_million?: number; readonly reasoning_per_million?: number };

export type Problem = { readonly type: string; readonly title: string; readonly status: number; readonly detail: string; readonly code: string; readonly param: string | null; readonly request_id: string };

export type Provider = { readonly id: "openai" | "anthropic" | "gemini" | "azure" | "azure-deployments" | "bedrock" | "bedrock-converse" | "vertex" | "vertex-gemini" | "vertex-claude" | "mistral" | "groq" | "deepseek" | "xai" | "together" | "fireworks" | "openrouter" | "cerebras" | "perplexity" | "moonshot" | "qwen" | "cohere" | "ollama" | "lm-studio" | "vllm" | "llama-cpp"; readonly name: string; readonly dialect: "openai" | "anthropic" | "gemini" | "bedrock"; readonly base_url: string; readonly needs_credential: boolean; readonly variable: string | null; readonly note: string | null };

/** The 50th, 95th and 99th percentile in milliseconds, with an error of at most 5 %: the duration of complete responses (`duration_ms`), or the time to first token of streams (`first_token_ms`). Null if there are none. */
export type Quantiles = { readonly p50: number; readonly p95: number; readonly p99: number } | null;

export type RateLimitCooldown = { readonly model: string; readonly cooldown_ms: number };

/** Rate limits of each end user: of all requests with the same user. Fields that are null or omitted are not limited. */
export type RateLimits = { readonly requests_per_minute?: number | null; readonly tokens_per_minute?: number | null; readonly concurrent_requests?: number | null } | null;

export type Receipt = { readonly request_id: string; readonly account: string; readonly key: string; readonly model: string; readonly requested_model: string; readonly user: string | null; readonly tags: Tags; readonly conversation: string | null; readonly endpoint: "chat_completions" | "messages" | "responses" | "embeddings"; readonly state: "open" | "settled" | "released"; readonly started_at: string; readonly ended_at: string | null; readonly reason: string | null; readonly held: string; readonly hold_reason: string; readonly charged: string | null; readonly uncharged: string | null; readonly price: PriceOrNull; readonly derived_from?: PriceDerivation; readonly usage: UsageOrNull; readonly provenance: "measured" | "partial" | "estimated" | null; readonly upstream?: string | null; readonly upstream_model?: string | null; readonly upstream_cost?: string | null; readonly attempts: number | null; readonly failed_attempts?: readonly (FailedAttempt)[]; readonly lines: readonly (ReceiptLine)[]; readonly tools: readonly (ReceiptTool)[]; readonly multipliers: readonly (string)[] };

export type ReceiptLine = { readonly kind: "input" | "cached_input" | "cache_write" | "cache_write_1h" | "output" | "reasoning"; readonly tokens: number; readonly per_million: number; readonly cost: string };

export type ReceiptTool = { readonly tool: string; readonly calls: number; readonly fee: string; readonly cost: string };

export type ReconcileBillRequest = { readonly provider?: "openai" | "anthropic" | "gemini" | "azure" | "azure-deployments" | "bedrock" | "bedrock-converse" | "vertex" | "vertex-gemini" | "vertex-claude" | "mistral" | "groq" | "deepseek" | "xai" | "together" | "fireworks" | "openrouter" | "cerebras" | "perplexity" | "moonshot" | "qwen" | "cohere" | "ollama" | "lm-studio" | "vllm" | "llama-cpp"; readonly upstreams?: readonly (string)[]; readonly csv: string; readonly zone?: string; readonly from?: string; readonly to?: string; readonly threshold_percent?: number };

export type ReconciledBill = { readonly format: "openai_usage" | "openai_costs" | "anthropic_usage" | "anthropic_costs" | "plain"; readonly lines: number; readonly from: string | null; readonly to: string | null; readonly compared: readonly ("requests" | "input_tokens" | "cached_tokens" | "cache_write_tokens" | "output_tokens" | "cost")[]; readonly ignored_columns: readonly (string)[]; readonly outside_range: number };

export type ReconciledCost = { readonly ledger: string | null; readonly bill: string | null; readonly difference: string | null; readonly percent: number | null; readonly drifts: boolean };

/** `input_tokens` exclude `cached_tokens` and `cache_write_tokens` if the bill lists them. */
export type ReconciledCount = { readonly ledger: number | null; readonly bill: number | null; readonly difference: number | null; readonly percent: number | null; readonly drifts: boolean };

export type ReconciledDays = { readonly not_on_bill: readonly (string)[]; readonly not_in_ledger: readonly (string)[] };

export type ReconciledModels = { readonly not_on_bill: readonly (string)[]; readonly not_in_ledger: readonly (string)[]; readonly without_price: readonly (string)[] };

/** Sums of the bill's amounts, in dollars; null when it has none. `bill` is exactly the sum of the other three. */
export type ReconciledMoney = { readonly bill: string; readonly agreed: string; readonly differing: string; readonly not_compared: string } | null;

export type ReconciledRow = { readonly day: string; readonly model: string | null; readonly matched_by: "name" | "date" | null; readonly ledger_models: readonly (string)[]; readonly bill_models: readonly (string)[]; readonly drifts: boolean; readonly requests: ReconciledCount; readonly input_tokens: ReconciledCount; readonly cached_tokens: ReconciledCount; readonly cache_write_tokens: ReconciledCount; readonly output_tokens: ReconciledCount; readonly cost: ReconciledCost; readonly reasoning_tokens: number; readonly reasons: DriftReasons };

/** Totals over the rows for which both sides have a value. */
export type ReconciledTotals = { readonly requests: ReconciledCount; readonly input_tokens: ReconciledCount; readonly cached_tokens: ReconciledCount; readonly cache_write_tokens: ReconciledCount; readonly output_tokens: ReconciledCount; readonly cost: ReconciledCost };

export type Reconciliation = { readonly provider: string | null; readonly upstreams: readonly (string)[]; readonly zone: string; readonly from: string; readonly to: string; readonly is_over: boolean; readonly threshold_percent: number; readonly drifts: boolean; readonly agrees: boolean; readonly money: ReconciledMoney; readonly bill: ReconciledBill; readonly totals: ReconciledTotals; readonly days: ReconciledDays; readonly models: ReconciledModels; readonly rows: readonly (ReconciledRow)[]; readonly not_compared: readonly (NotCompared)[] };

export type ReloadReport = { readonly file: string; readonly upstreams: number; readonly models: number; readonly price_lists: number; readonly accounts: number; readonly changed: DeclaredChanges; readonly warnings: readonly (string)[] };

export type ReplaceCredentialRequest = { readonly credential?: string; readonly credentials?: readonly (string)[] };

export type RequestBodies = { readonly request_id: string; readonly request: string | null; readonly reply: string | null; readonly truncated: boolean };

export type RequestCount = { readonly count: number; readonly is_exact: boolean };

export type RequestExport = { readonly id: string; readonly format: "csv" | "jsonl"; readonly filters: ExportFilters; readonly state: "running" | "done" | "failed" | "cancelled" | "interrupted"; readonly rows: number; readonly total: number | null; readonly bytes: number; readonly error: string | null; readonly created_at: string; readonly ended_at: string | null; readonly expires_at: string };

export type RequestExportList = { readonly data: readonly (RequestExport)[] };

export type RequestPage = { readonly data: readonly (LoggedRequest)[]; readonly next: string | null; readonly newer: string | null };

export type RequestStatistics = { readonly zone: string; readonly by: "hour" | "day" | null; readonly from: string; readonly to: string; readonly retained_from: string | null; readonly total: StatisticsTotal; readonly data: readonly (StatisticsRow)[] };

export type ResponseCacheInputOrNull = { readonly ttl_seconds: number; readonly price_percent?: number } | null;

/** The response cache; null when it is off. Shown to operators. */
export type ResponseCacheOrNull = { readonly ttl_seconds: number; readonly price_percent: number } | null;

export type RevokeByPossessionRequest = { readonly key: string };

export type RevokedKey = { readonly id: string; readonly revoked: boolean; readonly key_still_works: boolean };

export type RollingRestart = { readonly instances: readonly (string)[] };

export type RotateKeyRequest = { readonly grace_period_seconds?: number };

export type RotateWebhookSecretRequest = { readonly grace_period_seconds?: number };

export type Route = { readonly upstream: string; readonly model: string; readonly priority: number; readonly weight: number; readonly max_price: PriceCapOrNull; readonly cost: RouteCost; readonly defaults: Readonly<Record<string, unknown>>; readonly headers: readonly (string)[]; readonly limits: RouteLimitsOrNull; readonly excluded: "drained" | "over_price_cap" | "price_unknown" | null };

/** The price that the provider charges you; null for its list price, or when it is unknown. */
export type RouteCost = { readonly version: string; readonly effective_at: string; readonly source: string; readonly price_list: string | null; readonly input_per_million: number; readonly cached_input_per_million: number; readonly cache_write_per_million: number; readonly output_per_million: number; readonly reasoning_per_million: number; readonly cache_write_1h_per_million?: number; readonly tiers: readonly (PriceTier)[]; readonly multipliers: Readonly<Record<string, number>>; readonly tool_fees: Readonly<Record<string, number>> } | null;

export type RouteCostInput = { readonly input_per_million: number; readonly output_per_million?: number; readonly cached_input_per_million?: number; readonly cache_write_per_million?: number; readonly cache_write_1h_per_million?: number; readonly reasoning_per_million?: number; readonly multipliers?: Readonly<Record<string, number>>; readonly tool_fees?: Readonly<Record<string, number>>; readonly effective?: string; readonly tiers?: readonly (PriceTierInput)[] } | null;

export type RouteInput = { readonly upstream: string; readonly model: string; readonly priority?: number; readonly weight?: number; readonly max_price?: PriceCapInputOrNull; readonly cost?: RouteCostInput; readonly defaults?: DefaultParametersInputOrNull; readonly headers?: HeadersInputOrNull; readonly limits?: RouteLimitsInputOrNull };

export type RouteLimitsInputOrNull = { readonly requests_per_minute?: number | null; readonly tokens_per_minute?: number | null } | null;

/** The rate limits of the route. Requests beyond them go to the next route. */
export type RouteLimitsOrNull = { readonly requests_per_minute: number | null; readonly tokens_per_minute: number | null } | null;

export type SavedView = { readonly id: string; readonly name: string; readonly page: string; readonly query: string; readonly created_at: string };

export type SavedViewList = { readonly data: readonly (SavedView)[] };

export type ServiceToken = { readonly id: string; readonly name: string; readonly scopes: readonly ("accounts:read" | "accounts:write" | "alerts:read" | "alerts:write" | "audit:read" | "bodies:read" | "config:write" | "credits:write" | "instances:read" | "instances:write" | "keys:read" | "keys:write" | "metrics:read" | "models:read" | "models:write" | "people:read" | "people:write" | "upstreams:read" | "upstreams:write" | "usage:read")[]; readonly active: boolean; readonly created_at: string; readonly expires_at: string; readonly last_used_at: string | null; readonly revoked_at: string | null; readonly service: string };

export type ServiceTokenPage = { readonly data: readonly (ServiceToken)[]; readonly next: string | null };

export type Session = { readonly id: string; readonly current: boolean; readonly address: string | null; readonly user_agent: string | null; readonly created_at: string; readonly last_seen_at: string; readonly expires_at: string };

export type SessionList = { readonly data: readonly (Session)[] };

export type SetModelInput = { readonly free?: boolean; readonly price?: PriceInput; readonly prices?: readonly (PriceInput)[] } | null;

export type ShowInvitationRequest = { readonly token: string };

export type ShownModel = { readonly id: string; readonly owned_by: string; readonly created_at: string; readonly kind: "chat" | "embedding"; readonly state: "available" | "deprecated" | "retired"; readonly shutdown_date: string | null; readonly replacement: string | null; readonly deprecated_at: string | null; readonly retired_at: string | null; readonly price: PriceInForce; readonly upcoming_prices: readonly (Price)[]; readonly context_window: number | null; readonly max_output_tokens: number | null; readonly capabilities: readonly ("tools" | "images" | "files" | "audio" | "json_schema" | "reasoning" | "caching")[]; readonly archived_at?: string | null; readonly expanded_from?: string | null; readonly expands_to?: readonly (string)[] | null; readonly managed_by?: "operator" | "file" | "environment" | "wildcard"; readonly deprecated_by?: string | null; readonly retired_by?: string | null; readonly past_prices?: readonly (Price)[]; readonly accounts?: readonly (string)[] | null; readonly routes?: readonly (Route)[]; readonly parameters?: Readonly<Record<string, "pass" | "drop" | "refuse" | ParameterRename>>; readonly unknown_parameters?: "pass" | "drop" | "refuse" | null; readonly timeouts?: Timeouts; readonly sticky?: boolean | null; readonly selection?: "weighted" | "exact" | "least_busy" | "lowest_latency" | "lowest_cost"; readonly cache?: ResponseCacheOrNull; readonly mirror?: MirrorOrNull; readonly fallback_models?: readonly (FallbackModel)[]; readonly price_changes?: readonly (PriceChange)[] };

export type SignInMethods = { readonly password: boolean; readonly oidc: boolean };

export type SignInRequest = { readonly email: string; readonly password: string };

/** Total charges in dollars: this calendar day and month (UTC), and overall. */
export type Spent = { readonly day: string; readonly month: string; readonly total: string };

export type StatisticsRow = { readonly hour?: string; readonly day?: string; readonly is_partial: boolean; readonly requests: number; readonly succeeded: number; readonly outcomes: OutcomeCounts; readonly codes: readonly (CodeCount)[]; readonly duration_ms: Quantiles; readonly first_token_ms: Quantiles };

export type StatisticsTotal = { readonly requests: number; readonly succeeded: number; readonly outcomes: OutcomeCounts; readonly codes: readonly (CodeCount)[]; readonly duration_ms: Quantiles; readonly first_token_ms: Quantiles };

/** The values of the tags, by name. */
export type Tags = Readonly<Record<string, string>>;

export type TestCredentialRequest = { readonly credential: string };

/** Timeouts that override the upstream's timeouts. Shown to operators. */
export type Timeouts = { readonly connect_ms?: number; readonly first_byte_ms?: number; readonly between_chunks_ms?: number; readonly non_streamed_ms?: number; readonly total_ms?: number };

export type TimeoutsInputOrNull = { readonly connect_ms?: number | null; readonly first_byte_ms?: number | null; readonly between_chunks_ms?: number | null; readonly non_streamed_ms?: number | null; readonly total_ms?: number | null } | null;

export type TimeoutsOrNull = { readonly connect_ms: number; readonly first_byte_ms: number; readonly between_chunks_ms: number; readonly non_streamed_ms?: number; readonly total_ms: number } | null;

export type UpdateAccountRequest = { readonly name?: string; readonly models?: readonly (string)[]; readonly limits?: LimitsInput; readonly caps?: CapsInput; readonly credit_line?: string | null; readonly low_credit?: string | null; readonly log_bodies?: boolean; readonly attribution?: "plain" | "hashed" | "off"; readonly metadata_tags?: readonly (string)[]; readonly conversation_key?: string | null; readonly show_credit?: boolean; readonly price_list?: string | null; readonly archived?: boolean };

export type UpdateEndpointRequest = { readonly enabled: boolean };

export type UpdateKeyRequest = { readonly name?: string; readonly models?: readonly (string)[]; readonly limits?: LimitsInput; readonly caps?: CapsInput; readonly expires_at?: string | null; readonly paused?: boolean; readonly archived?: boolean };

export type UpdateMeRequest = { readonly name?: string };

export type UpdateModelRequest = { readonly owned_by?: string; readonly kind?: "chat" | "embedding"; readonly accounts?: readonly (string)[] | null; readonly free?: boolean; readonly price?: PriceInput; readonly prices?: readonly (PriceInput)[]; readonly routes?: readonly (RouteInput)[]; readonly context_window?: number | null; readonly max_output_tokens?: number | null; readonly capabilities?: readonly ("tools" | "images" | "files" | "audio" | "json_schema" | "reasoning" | "caching")[]; readonly parameters?: Readonly<Record<string, "pass" | "drop" | "refuse" | ParameterRename>> | null; readonly unknown_parameters?: "pass" | "drop" | "refuse" | null; readonly timeouts?: TimeoutsInputOrNull; readonly sticky?: boolean | null; readonly selection?: "weighted" | "exact" | "least_busy" | "lowest_latency" | "lowest_cost" | null; readonly cache?: ResponseCacheInputOrNull; readonly mirror?: MirrorInputOrNull; readonly fallback_models?: readonly (string | FallbackModelInput)[] | null; readonly shutdown_date?: string; readonly replacement?: string; readonly archived?: boolean };

export type UpdatePersonRequest = { readonly name?: string; readonly role?: "operator" | "member"; readonly account?: string; readonly disabled?: boolean; readonly archived?: boolean };

export type UpdatePriceListRequest = { readonly name?: string; readonly percent?: number | null; readonly percents?: readonly (DatedPercentInput)[]; readonly models?: Readonly<Record<string, ListedModelInput>>; readonly set_models?: Readonly<Record<string, SetModelInput>> };

export type UpdateUpstreamRequest = { readonly preset?: "openai" | "anthropic" | "gemini" | "azure" | "azure-deployments" | "bedrock" | "bedrock-converse" | "vertex" | "vertex-gemini" | "vertex-claude" | "mistral" | "groq" | "deepseek" | "xai" | "together" | "fireworks" | "openrouter" | "cerebras" | "perplexity" | "moonshot" | "qwen" | "cohere" | "ollama" | "lm-studio" | "vllm" | "llama-cpp"; readonly base_url?: string; readonly api_version?: string | null; readonly allow_private?: boolean; readonly credential?: string; readonly credentials?: readonly (string)[]; readonly aws?: AwsIdentityInput; readonly google?: GoogleIdentityInput; readonly azure?: AzureIdentityInput; readonly timeouts?: UpstreamTimeoutsInput; readonly concurrency?: ConcurrencyInput; readonly unknown_parameters?: "pass" | "drop" | "refuse" | null; readonly headers?: HeadersInputOrNull; readonly organization?: string | null; readonly project?: string | null };

export type UpdateViewRequest = { readonly name?: string; readonly page?: string; readonly query?: string };

export type UpdateWebhookRequest = { readonly name?: string; readonly url?: string; readonly allow_private?: boolean; readonly alerts?: readonly ("credit.low" | "cap.near" | "cap.reached" | "upstream.ejected" | "upstream.restored" | "upstream.identity_failed" | "upstream.identity_restored" | "upstream.usage_implausible" | "upstream.usage_unpriced" | "model.retiring" | "model.sold_below_cost" | "key.unusual_spend")[] | null; readonly paused?: boolean; readonly routing_key?: string };

export type Upstream = { readonly id: string; readonly preset: "openai" | "anthropic" | "gemini" | "azure" | "azure-deployments" | "bedrock" | "bedrock-converse" | "vertex" | "vertex-gemini" | "vertex-claude" | "mistral" | "groq" | "deepseek" | "xai" | "together" | "fireworks" | "openrouter" | "cerebras" | "perplexity" | "moonshot" | "qwen" | "cohere" | "ollama" | "lm-studio" | "vllm" | "llama-cpp" | null; readonly dialect: "openai" | "responses" | "anthropic" | "gemini" | "bedrock" | "echo"; readonly base_url: string | null; readonly api_version: string | null; readonly allow_private: boolean; readonly timeouts: TimeoutsOrNull; readonly concurrency: ConcurrencyOrNull; readonly unknown_parameters: "pass" | "drop" | "refuse" | null; readonly headers: readonly (string)[]; readonly organization: string | null; readonly project: string | null; readonly credentials: readonly (CredentialMark)[]; readonly aws: AwsIdentityOrNull; readonly google: GoogleIdentityOrNull; readonly azure: AzureIdentityOrNull; readonly managed_by: "operator" | "file" | "environment"; readonly models: readonly (string)[] };

export type UpstreamHealth = { readonly upstream: string; readonly in_flight: number; readonly queued: number; readonly models: readonly (ModelHealth)[]; readonly credentials: readonly (CredentialHealth)[]; readonly identity: IdentityHealthOrNull };

export type UpstreamPage = { readonly data: readonly (Upstream)[]; readonly next: string | null };

export type UpstreamTimeoutsInput = { readonly connect_ms?: number | null; readonly first_byte_ms?: number | null; readonly between_chunks_ms?: number | null; readonly non_streamed_ms?: number | null; readonly total_ms?: number | null };

export type Usage = { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number; readonly prompt_tokens_details?: unknown; readonly completion_tokens_details?: unknown };

export type UsageOrNull = { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number; readonly prompt_tokens_details?: unknown; readonly completion_tokens_details?: unknown } | null;

export type UsagePage = { readonly data: readonly (UsageRow)[]; readonly next: string | null; readonly zone: string; readonly from: string; readonly to: string; readonly total: UsageTotal };

export type UsageRow = { readonly hour?: string; readonly day?: string; readonly weekday?: number; readonly hour_of_day?: number; readonly is_other?: boolean; readonly is_partial?: boolean; readonly model?: string; readonly key?: string; readonly key_name?: string | null; readonly account?: string; readonly upstream?: string | null; readonly user?: string; readonly conversation?: string; readonly tag?: string; readonly endpoint?: string; readonly requests: number; readonly failed: number; readonly prompt_tokens: number; readonly cached_tokens: number; readonly cache_write_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly cost: string; readonly uncharged: string };

/** The total of all pages. */
export type UsageTotal = { readonly requests: number; readonly failed: number; readonly prompt_tokens: number; readonly cached_tokens: number; readonly cache_write_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly cost: string; readonly uncharged: string };

export type Webhook = { readonly id: string; readonly kind: "webhook" | "slack" | "teams" | "discord" | "pagerduty" | "email"; readonly name: string; readonly url: string; readonly allow_private: boolean; readonly alerts: readonly ("credit.low" | "cap.near" | "cap.reached" | "upstream.ejected" | "upstream.restored" | "upstream.identity_failed" | "upstream.identity_restored" | "upstream.usage_implausible" | "upstream.usage_unpriced" | "model.retiring" | "model.sold_below_cost" | "key.unusual_spend")[] | null; readonly paused: boolean; readonly paused_because: string | null; readonly previous_secret_signs_until: string | null; readonly created_at: string };

export type WebhookPage = { readonly data: readonly (Webhook)[]; readonly next: string | null };

export type WriteOff = { readonly written_off: boolean; readonly instance: Instance };

export type WriteOffRequest = { readonly reason: string };

/** The parameters, body and reply of each operation. */
export interface Operations {
  /** Create a key. The plaintext key is shown only in this reply. */
  createKey: { path: undefined; query: undefined; body: CreateKeyRequest; reply: NewKey };
  /** List keys, newest first by default */
  listKeys: { path: undefined; query: { account?: string; search?: string; state?: "active" | "paused" | "expired" | "revoked"; imported?: "true" | "false"; archived?: "true" | "false"; sort?: "created" | "name" | "account" | "expires" | "last_used" | "spent"; direction?: "asc" | "desc"; limit?: number; cursor?: string }; body: undefined; reply: KeyPage };
  /** Show a key with its permissions and spend */
  showKey: { path: { id: string }; query: undefined; body: undefined; reply: Key };
  /** Update a key. Only the given fields change, from its next request on. */
  updateKey: { path: { id: string }; query: { preview?: "true" | "false" }; body: UpdateKeyRequest; reply: Key | ChangePreview };
  /** Revoke a key permanently, from the next request on */
  revokeKey: { path: { id: string }; query: undefined; body: undefined; reply: KeyAfterRevoke };
  /** Import keys of another gateway by their hashes. Keys that were imported before get the settings of this call. */
  importKeys: { path: undefined; query: undefined; body: ImportKeysRequest; reply: ImportedKeys };
  /** Carry the spend of accounts at another gateway over. It replaces the spend that was carried over before. */
  importSpend: { path: undefined; query: undefined; body: ImportSpendRequest; reply: ImportedSpends };
  /** Find imported keys and their accounts by the hashes of the keys. It changes nothing. */
  findImportedKeys: { path: undefined; query: undefined; body: FindImportedKeysRequest; reply: FoundImportedKeys };
  /** Rotate a key's secret. The old secret stays valid during a grace period; an even older one is revoked immediately. */
  rotateKey: { path: { id: string }; query: undefined; body: RotateKeyRequest; reply: NewKey };
  /** Create a key with the account, models, limits, spend caps and expiry of another. The plaintext key is shown only in this reply. */
  cloneKey: { path: { id: string }; query: undefined; body: CloneKeyRequest; reply: NewKey };
  /** Remove a key that was never used, with its record. Pause, archive or revoke it first. */
  removeKey: { path: { id: string }; query: undefined; body: undefined; reply: Key };
  /** Revoke a leaked key by its plaintext. No other credential is needed. */
  revokeKeyByPossession: { path: undefined; query: undefined; body: RevokeByPossessionRequest; reply: RevokedKey };
  /** Call a model as this key, without its plaintext. The request is admitted, charged and logged like any request with the key. */
  callAsKey: { path: { id: string }; query: undefined; body: Readonly<Record<string, unknown>>; reply: Readonly<Record<string, unknown>> };
  /** Create an account. It has no credit yet. */
  createAccount: { path: undefined; query: undefined; body: CreateAccountRequest; reply: NewAccount };
  /** List accounts, by id by default */
  listAccounts: { path: undefined; query: { search?: string; archived?: "true" | "false"; sort?: "id" | "name" | "created" | "available" | "spent"; direction?: "asc" | "desc"; limit?: number; cursor?: string }; body: undefined; reply: AccountPage };
  /** Show an account and its balance */
  showAccount: { path: { id: string }; query: undefined; body: undefined; reply: Account };
  /** Update an account. Only the given fields change, from the next request on. */
  updateAccount: { path: { id: string }; query: { preview?: "true" | "false" }; body: UpdateAccountRequest; reply: Account | ChangePreview };
  /** Remove an archived account that has no ledger entries, keys and members, and that no model names */
  removeAccount: { path: { id: string }; query: undefined; body: undefined; reply: Account };
  /** Export the ledger entries and logged requests of an end user, with prompts and responses. It is recorded in the audit log. */
  exportEndUser: { path: { id: string }; query: undefined; body: ExportEndUserRequest; reply: undefined };
  /** Erase an end user from ledger, usage and request log. Amounts stay. It cannot be undone, and may be repeated. */
  eraseEndUser: { path: { id: string }; query: undefined; body: EraseEndUserRequest; reply: ErasedEndUser };
  /** Grant credit to an account */
  grantCredit: { path: { id: string }; query: undefined; body: GrantRequest; reply: Entry };
  /** Adjust an account's credit, up or down */
  adjustCredit: { path: { id: string }; query: undefined; body: AdjustmentRequest; reply: Entry };
  /** List an account's ledger entries, newest first. Holds are not included. */
  listEntries: { path: { id: string }; query: { limit?: number; cursor?: string; reference?: string }; body: undefined; reply: EntryPage };
  /** Show the cost of a request and how it was computed */
  showReceipt: { path: { requestId: string }; query: undefined; body: undefined; reply: Receipt };
  /** Aggregate usage by hour, day, model, key, account, upstream, end user, conversation, endpoint or tag */
  showUsage: { path: undefined; query: { by?: string; order?: "name" | "cost"; account?: string; key?: string; model?: string; user?: string; tag?: string; conversation?: string; endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; zone?: string; from?: string; to?: string; top?: number; top_by?: "cost" | "requests" | "tokens" | "failed"; limit?: number; cursor?: string }; body: undefined; reply: UsagePage };
  /** Compare charges with upstream costs by account, model, upstream, key, end user, conversation, endpoint, tag, hour or day */
  showMargin: { path: undefined; query: { by?: string; order?: "name" | "cost"; account?: string; key?: string; model?: string; user?: string; tag?: string; conversation?: string; endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; zone?: string; from?: string; to?: string; top?: number; top_by?: "cost" | "requests" | "tokens" | "failed"; limit?: number; cursor?: string }; body: undefined; reply: MarginPage };
  /** Reconcile a provider's bill with the ledger, by day and model */
  reconcileBill: { path: undefined; query: undefined; body: ReconcileBillRequest; reply: Reconciliation };
  /** List requests by the time they ended, newest first, or by cost, duration or tokens */
  listRequests: { path: undefined; query: { account?: string; key?: string; model?: string; user?: string; tag?: string; conversation?: string; endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; upstream?: string; status?: string; outcome?: string; code?: "invalid_json" | "missing_required_parameter" | "invalid_value" | "unsupported_parameter" | "context_length_exceeded" | "content_policy_violation" | "invalid_api_key" | "api_key_paused" | "insufficient_credits" | "credits_in_flight" | "budget_exceeded" | "model_not_allowed" | "model_retired" | "unknown_url" | "method_not_allowed" | "request_too_large" | "unsupported_media_type" | "rate_limit_exceeded" | "internal_error" | "upstream_error" | "overloaded" | "no_upstream_available" | "upstream_timeout"; min_cost?: string; max_cost?: string; min_duration_ms?: number; max_duration_ms?: number; min_tokens?: number; max_tokens?: number; min_attempts?: number; max_attempts?: number; error?: string; mirror?: "any" | "different"; from?: string; to?: string; request_id?: string; sort?: "time" | "cost" | "duration" | "tokens"; order?: "newest" | "oldest" | "highest" | "lowest"; limit?: number; cursor?: string }; body: undefined; reply: RequestPage };
  /** Count requests: exactly by account, model and time, otherwise among the newest 1,000,000 or so */
  countRequests: { path: undefined; query: { account?: string; key?: string; model?: string; user?: string; tag?: string; conversation?: string; endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; upstream?: string; status?: string; outcome?: string; code?: "invalid_json" | "missing_required_parameter" | "invalid_value" | "unsupported_parameter" | "context_length_exceeded" | "content_policy_violation" | "invalid_api_key" | "api_key_paused" | "insufficient_credits" | "credits_in_flight" | "budget_exceeded" | "model_not_allowed" | "model_retired" | "unknown_url" | "method_not_allowed" | "request_too_large" | "unsupported_media_type" | "rate_limit_exceeded" | "internal_error" | "upstream_error" | "overloaded" | "no_upstream_available" | "upstream_timeout"; min_cost?: string; max_cost?: string; min_duration_ms?: number; max_duration_ms?: number; min_tokens?: number; max_tokens?: number; min_attempts?: number; max_attempts?: number; error?: string; mirror?: "any" | "different"; from?: string; to?: string }; body: undefined; reply: RequestCount };
  /** Export requests as a file, oldest first, without a limit on their number */
  exportRequests: { path: undefined; query: { format?: "csv" | "jsonl"; account?: string; key?: string; model?: string; user?: string; tag?: string; conversation?: string; endpoint?: "chat_completions" | "messages" | "responses" | "embeddings"; upstream?: string; status?: string; outcome?: string; code?: "invalid_json" | "missing_required_parameter" | "invalid_value" | "unsupported_parameter" | "context_length_exceeded" | "content_policy_violation" | "invalid_api_key" | "api_key_paused" | "insufficient_credits" | "credits_in_flight" | "budget_exceeded" | "model_not_allowed" | "model_retired" | "unknown_url" | "method_not_allowed" | "request_too_large" | "unsupported_media_type" | "rate_limit_exceeded" | "internal_error" | "upstream_error" | "overloaded" | "no_upstream_available" | "upstream_timeout"; min_cost?: string; max_cost?: string; min_duration_ms?: number; max_duration_ms?: number; min_tokens?: number; max_tokens?: number; min_attempts?: number; max_attempts?: number; error?: string; mirror?: "any" | "different"; from?: string; to?: string }; body: undefined; reply: undefined };
  /** Aggregate outcomes and latencies of requests, by hour or day */
  showStatistics: { path: undefined; query: { by?: "hour" | "day"; account?: string; model?: string; zone?: string; from?: string; to?: string }; body: undefined; reply: RequestStatistics };
  /** Show a request: its outcome, its attempts, and the time each part took */
  showRequest: { path: { requestId: string }; query: undefined; body: undefined; reply: LoggedRequestInFull };
  /** Show the logged prompt and response. Access is recorded in the audit log. */
  showBodies: { path: { requestId: string }; query: undefined; body: undefined; reply: RequestBodies };
  /** List your background exports, newest first */
  listExports: { path: undefined; query: undefined; body: undefined; reply: RequestExportList };
  /** Export requests in the background, to a file that can be downloaded for a day */
  createExport: { path: undefined; query: undefined; body: CreateExportRequest; reply: RequestExport };
  /** Show the progress of a background export */
  showExport: { path: { id: string }; query: undefined; body: undefined; reply: RequestExport };
  /** Delete a background export with its file. If it is running, it stops. */
  removeExport: { path: { id: string }; query: undefined; body: undefined; reply: RequestExport };
  /** Download the file of a background export that is done */
  downloadExport: { path: { id: string }; query: undefined; body: undefined; reply: undefined };
  /** Cancel a background export. An export that has ended stays unchanged. */
  cancelExport: { path: { id: string }; query: undefined; body: undefined; reply: RequestExport };
  /** Create a model. It can be called from the next request on, and is announced. */
  createModel: { path: undefined; query: undefined; body: CreateModelRequest; reply: Model };
  /** List models, by id by default */
  listModels: { path: undefined; query: { search?: string; state?: "available" | "deprecated" | "retired"; kind?: "chat" | "embedding"; key?: string; archived?: "true" | "false"; sort?: "id" | "owned_by" | "created"; direction?: "asc" | "desc"; limit?: number; cursor?: string }; body: undefined; reply: ModelPage };
  /** Show a model, its state and its prices */
  showModel: { path: { id: string }; query: undefined; body: undefined; reply: ShownModel };
  /** Update a model. Only the given fields change. Past ledger entries keep their price version. */
  updateModel: { path: { id: string }; query: { preview?: "true" | "false" }; body: UpdateModelRequest; reply: Model | ChangePreview };
  /** Remove a model that was never called and that nothing names. Its announcements stay. */
  removeModel: { path: { id: string }; query: undefined; body: undefined; reply: Model };
  /** Deprecate an available model: announce its shutdown date and its replacement. It keeps working. */
  deprecateModel: { path: { id: string }; query: { preview?: "true" | "false" }; body: DeprecateModelRequest; reply: Model | ChangePreview };
  /** Retire a deprecated model permanently. Its replacement must be available. */
  retireModel: { path: { id: string }; query: { preview?: "true" | "false" }; body: undefined; reply: Model | ChangePreview };
  /** Create a model with the routes, prices and settings of another, including one in the config file. It is available, and is announced. */
  cloneModel: { path: { id: string }; query: undefined; body: CloneModelRequest; reply: Model };
  /** List the keys that still use a model, by id */
  listModelKeys: { path: { id: string }; query: { account?: string; since?: string; limit?: number; cursor?: string }; body: undefined; reply: ModelKeyPage };
  /** Compare a mirror's responses with the responses that callers received */
  showMirrorReport: { path: { id: string }; query: { since?: string }; body: undefined; reply: MirrorReport };
  /** List model announcements, newest first */
  listAnnouncements: { path: undefined; query: { model?: string; limit?: number; cursor?: string }; body: undefined; reply: AnnouncementPage };
  /** Get the newest model announcements as an Atom feed */
  showFeed: { path: undefined; query: undefined; body: undefined; reply: undefined };
  /** Create a price list. No account has it yet. */
  createPriceList: { path: undefined; query: undefined; body: CreatePriceListRequest; reply: PriceList };
  /** List price lists by id */
  listPriceLists: { path: undefined; query: { limit?: number; cursor?: string }; body: undefined; reply: PriceListPage };
  /** Show a price list */
  showPriceList: { path: { id: string }; query: undefined; body: undefined; reply: PriceList };
  /** Update a price list. Only the given fields change. Past ledger entries keep their price version. */
  updatePriceList: { path: { id: string }; query: { preview?: "true" | "false" }; body: UpdatePriceListRequest; reply: PriceList | ChangePreview };
  /** Remove a price list that no account has */
  removePriceList: { path: { id: string }; query: undefined; body: undefined; reply: PriceList };
  /** List the endpoints of the gateway that can be turned on and off */
  listEndpoints: { path: undefined; query: undefined; body: undefined; reply: OptionalEndpointList };
  /** Turn an endpoint of the gateway on or off. Requests in flight finish. */
  updateEndpoint: { path: { id: string }; query: undefined; body: UpdateEndpointRequest; reply: OptionalEndpoint };
  /** Create an upstream. Its credential or the secrets of its identity are stored encrypted and never shown again. */
  createUpstream: { path: undefined; query: undefined; body: CreateUpstreamRequest; reply: Upstream };
  /** List upstreams by id */
  listUpstreams: { path: undefined; query: { search?: string; limit?: number; cursor?: string }; body: undefined; reply: UpstreamPage };
  /** Show an upstream, without its credentials */
  showUpstream: { path: { id: string }; query: undefined; body: undefined; reply: Upstream };
  /** Update an upstream. Only the given fields change. A new base URL requires the credential or the identity again. */
  updateUpstream: { path: { id: string }; query: undefined; body: UpdateUpstreamRequest; reply: Upstream };
  /** Remove an upstream that serves no model, with its credentials */
  removeUpstream: { path: { id: string }; query: undefined; body: undefined; reply: Upstream };
  /** Replace the credentials or the identity of an upstream by other credentials, from the next request on */
  replaceCredential: { path: { id: string }; query: undefined; body: ReplaceCredentialRequest; reply: Upstream };
  /** Add a credential to an upstream. Requests are load-balanced across its credentials. */
  addCredential: { path: { id: string }; query: undefined; body: AddCredentialRequest; reply: Upstream };
  /** Remove one or all credentials of an upstream, or its identity, from the next request on */
  removeCredential: { path: { id: string }; query: { last4?: string }; body: undefined; reply: Upstream };
  /** Test the connection to an upstream: obtain the credentials of its identity, and list its models */
  testUpstream: { path: { id: string }; query: undefined; body: undefined; reply: ConnectionTest };
  /** Test another credential before replacing the current one. It is not stored. */
  testCredential: { path: { id: string }; query: undefined; body: TestCredentialRequest; reply: ConnectionTest };
  /** Run the doctor: check an upstream model with live requests. It costs a few tokens at the upstream. */
  examineUpstream: { path: { id: string }; query: undefined; body: ExamineUpstreamRequest; reply: DoctorReport };
  /** List the format deviations of an upstream's responses since startup */
  listDeviations: { path: { id: string }; query: { model?: string; limit?: number; cursor?: string }; body: undefined; reply: DeviationPage };
  /** Show the health of an upstream: calls in flight, ejected models, and credentials in cooldown */
  showUpstreamHealth: { path: { id: string }; query: undefined; body: undefined; reply: UpstreamHealth };
  /** List raised alerts, newest first. Resolved and acknowledged alerts are retained for 90 days. */
  listAlerts: { path: undefined; query: { state?: "open" | "acknowledged" | "resolved"; type?: "credit.low" | "cap.near" | "cap.reached" | "upstream.ejected" | "upstream.identity_failed" | "upstream.usage_implausible" | "upstream.usage_unpriced" | "model.retiring" | "model.sold_below_cost" | "key.unusual_spend"; account?: string; key?: string; upstream?: string; model?: string; limit?: number; cursor?: string }; body: undefined; reply: AlertPage };
  /** Acknowledge an alert. The first acknowledgement stays. */
  acknowledgeAlert: { path: { id: string }; query: undefined; body: undefined; reply: Alert };
  /** Create a webhook that alerts are sent to: your own service, a chat, a pager or email. Its signing secret is shown only in this reply. */
  createWebhook: { path: undefined; query: undefined; body: CreateWebhookRequest; reply: NewWebhook };
  /** List webhooks by id */
  listWebhooks: { path: undefined; query: { limit?: number; cursor?: string }; body: undefined; reply: WebhookPage };
  /** Show a webhook, without its secret */
  showWebhook: { path: { id: string }; query: undefined; body: undefined; reply: Webhook };
  /** Update a webhook. Only the given fields change. Deliveries that were pending when it was paused are sent when it resumes. */
  updateWebhook: { path: { id: string }; query: undefined; body: UpdateWebhookRequest; reply: Webhook };
  /** Remove a webhook and its deliveries */
  removeWebhook: { path: { id: string }; query: undefined; body: undefined; reply: Webhook };
  /** Rotate a webhook's signing secret. Messages are signed with both secrets during a grace period. */
  rotateWebhookSecret: { path: { id: string }; query: undefined; body: RotateWebhookSecretRequest; reply: NewWebhook };
  /** Test a webhook: send a `webhook.test` message immediately, even when the webhook is paused. It is not retried. */
  testWebhook: { path: { id: string }; query: undefined; body: undefined; reply: Delivery };
  /** List a webhook's deliveries with their attempts, newest first. Ended deliveries are retained for 30 days. */
  listDeliveries: { path: { id: string }; query: { state?: "pending" | "delivered" | "failed" | "dropped"; limit?: number; cursor?: string }; body: undefined; reply: DeliveryPage };
  /** Redeliver a message under the same id. A failure is retried on the full schedule. */
  redeliver: { path: { id: string; deliveryId: string }; query: undefined; body: undefined; reply: Delivery };
  /** List the available sign-in methods */
  listSignInMethods: { path: undefined; query: undefined; body: undefined; reply: SignInMethods };
  /** Sign in with an email address and a password, and receive a session cookie */
  signIn: { path: undefined; query: undefined; body: SignInRequest; reply: Person };
  /** Sign out: end the current session */
  signOut: { path: undefined; query: undefined; body: undefined; reply: undefined };
  /** Show the person an invitation link is for, without using it up */
  showInvitation: { path: undefined; query: undefined; body: ShowInvitationRequest; reply: InvitedAs };
  /** Set a password with a one-time link, and sign in. Earlier sessions end. */
  acceptInvitation: { path: undefined; query: undefined; body: AcceptInvitationRequest; reply: Person };
  /** Show the version, the base URL for clients, and the known providers */
  showAbout: { path: undefined; query: undefined; body: undefined; reply: About };
  /** Show the current identity and its permissions */
  showMe: { path: undefined; query: undefined; body: undefined; reply: Me };
  /** Update your own profile. Only the given fields change. */
  updateMe: { path: undefined; query: undefined; body: UpdateMeRequest; reply: Person };
  /** Change your password. All other sessions end, and this one receives a new cookie. */
  changePassword: { path: undefined; query: undefined; body: ChangePasswordRequest; reply: Person };
  /** List your sessions, newest first. There are at most fifty. */
  listSessions: { path: undefined; query: undefined; body: undefined; reply: SessionList };
  /** End one of your sessions */
  endSession: { path: { id: string }; query: undefined; body: undefined; reply: undefined };
  /** Create an access token. The plaintext token is shown only in this reply. */
  createAccessToken: { path: undefined; query: undefined; body: CreateAccessTokenRequest; reply: NewAccessToken };
  /** List your access tokens, newest first */
  listAccessTokens: { path: undefined; query: { limit?: number; cursor?: string }; body: undefined; reply: AccessTokenPage };
  /** Revoke an access token permanently, from the next request on */
  revokeAccessToken: { path: { id: string }; query: undefined; body: undefined; reply: AccessToken };
  /** List your saved views by name */
  listViews: { path: undefined; query: undefined; body: undefined; reply: SavedViewList };
  /** Save a page of the console with its filters under a name */
  createView: { path: undefined; query: undefined; body: CreateViewRequest; reply: SavedView };
  /** Update a saved view. Only the given fields change. */
  updateView: { path: { id: string }; query: undefined; body: UpdateViewRequest; reply: SavedView };
  /** Delete a saved view */
  removeView: { path: { id: string }; query: undefined; body: undefined; reply: SavedView };
  /** Invite a person. The invitation link is shown only in this reply. */
  invitePerson: { path: undefined; query: undefined; body: InvitePersonRequest; reply: InvitedPerson };
  /** List people, newest first by default */
  listPeople: { path: undefined; query: { search?: string; role?: "operator" | "member"; account?: string; archived?: "true" | "false"; sort?: "created" | "name" | "email"; direction?: "asc" | "desc"; limit?: number; cursor?: string }; body: undefined; reply: PersonPage };
  /** Show a person */
  showPerson: { path: { id: string }; query: undefined; body: undefined; reply: Person };
  /** Update a person. Only the given fields change. A new role or account ends their sessions and a member's access tokens; disabling and archiving end all of them. */
  updatePerson: { path: { id: string }; query: undefined; body: UpdatePersonRequest; reply: Person };
  /** Remove a person who has never signed in. The invitation link becomes invalid. */
  removePerson: { path: { id: string }; query: undefined; body: undefined; reply: Person };
  /** Create a new invitation link for a person. The earlier link becomes invalid. */
  renewInvitation: { path: { id: string }; query: undefined; body: undefined; reply: InvitedPerson };
  /** End all sessions of a person. Access tokens stay valid. */
  endSessions: { path: { id: string }; query: undefined; body: undefined; reply: Person };
  /** Create an access token of a service identity. The plaintext token is shown only in this reply. */
  createServiceToken: { path: undefined; query: undefined; body: CreateServiceTokenRequest; reply: NewServiceToken };
  /** List the access tokens of service identities, newest first */
  listServiceTokens: { path: undefined; query: { service?: string; limit?: number; cursor?: string }; body: undefined; reply: ServiceTokenPage };
  /** Revoke an access token of a service identity permanently, from the next request on */
  revokeServiceToken: { path: { id: string }; query: undefined; body: undefined; reply: ServiceToken };
  /** List a person's access tokens, newest first */
  listTokensOfPerson: { path: { id: string }; query: { limit?: number; cursor?: string }; body: undefined; reply: AccessTokenPage };
  /** Revoke a person's access token permanently, from the next request on */
  revokeTokenOfPerson: { path: { id: string; tokenId: string }; query: undefined; body: undefined; reply: AccessToken };
  /** List the processes of this Tollgate: state, requests in flight, heartbeat, memory and leased credit */
  listInstances: { path: undefined; query: undefined; body: undefined; reply: InstanceList };
  /** Show a process of this Tollgate, with its leases of accounts and keys */
  showInstance: { path: { id: string }; query: undefined; body: undefined; reply: InstanceWithLeases };
  /** Start a rolling restart: replace each gateway process of this machine by a new one, one after another. The owner process is not restarted. */
  restartInstances: { path: undefined; query: undefined; body: undefined; reply: RollingRestart };
  /** Write off a lost process that shares a database: close its open holds by their last reported progress, and return its leases */
  writeOffInstance: { path: { id: string }; query: { preview?: "true" | "false" }; body: WriteOffRequest; reply: WriteOff };
  /** Show the last backup: its time, file and contents */
  showLastBackup: { path: undefined; query: undefined; body: undefined; reply: BackupStatus };
  /** Show the config file: its declared resources, its last load, and the changes that a reload would make */
  showConfig: { path: undefined; query: undefined; body: undefined; reply: ConfigFile };
  /** Reload the config file. An invalid file is rejected, and the current configuration stays in force. */
  reloadConfig: { path: undefined; query: undefined; body: undefined; reply: ReloadReport };
  /** List recorded changes, newest first */
  listChanges: { path: undefined; query: { actor?: string; action?: string; kind?: string; id?: string; account?: string; from?: string; to?: string; limit?: number; cursor?: string }; body: undefined; reply: ChangePage };
  /** Verify the ledger: recompute it from its entries and report discrepancies */
  runAudit: { path: undefined; query: undefined; body: undefined; reply: AuditReport };
  /** Get all metrics in the Prometheus text format */
  showMetrics: { path: undefined; query: undefined; body: undefined; reply: undefined };
}

/** The method and path of each operation. */
export const PLACES = {
  createKey: ["POST", "/api/keys"],
  listKeys: ["GET", "/api/keys"],
  showKey: ["GET", "/api/keys/{id}"],
  updateKey: ["PATCH", "/api/keys/{id}"],
  revokeKey: ["DELETE", "/api/keys/{id}"],
  importKeys: ["POST", "/api/imports/keys"],
  importSpend: ["POST", "/api/imports/spend"],
  findImportedKeys: ["POST", "/api/imports/keys/find"],
  rotateKey: ["POST", "/api/keys/{id}/rotate"],
  cloneKey: ["POST", "/api/keys/{id}/clone"],
  removeKey: ["DELETE", "/api/keys/{id}/record"],
  revokeKeyByPossession: ["POST", "/api/keys/revoke"],
  callAsKey: ["POST", "/api/keys/{id}/chat/completions"],
  createAccount: ["POST", "/api/accounts"],
  listAccounts: ["GET", "/api/accounts"],
  showAccount: ["GET", "/api/accounts/{id}"],
  updateAccount: ["PATCH", "/api/accounts/{id}"],
  removeAccount: ["DELETE", "/api/accounts/{id}"],
  exportEndUser: ["POST", "/api/accounts/{id}/end-users/export"],
  eraseEndUser: ["POST", "/api/accounts/{id}/end-users/erase"],
  grantCredit: ["POST", "/api/accounts/{id}/grants"],
  adjustCredit: ["POST", "/api/accounts/{id}/adjustments"],
  listEntries: ["GET", "/api/accounts/{id}/entries"],
  showReceipt: ["GET", "/api/receipts/{requestId}"],
  showUsage: ["GET", "/api/usage"],
  showMargin: ["GET", "/api/margin"],
  reconcileBill: ["POST", "/api/reconciliations"],
  listRequests: ["GET", "/api/requests"],
  countRequests: ["GET", "/api/requests/count"],
  exportRequests: ["GET", "/api/requests/export"],
  showStatistics: ["GET", "/api/requests/statistics"],
  showRequest: ["GET", "/api/requests/{requestId}"],
  showBodies: ["GET", "/api/requests/{requestId}/bodies"],
  listExports: ["GET", "/api/exports"],
  createExport: ["POST", "/api/exports"],
  showExport: ["GET", "/api/exports/{id}"],
  removeExport: ["DELETE", "/api/exports/{id}"],
  downloadExport: ["GET", "/api/exports/{id}/download"],
  cancelExport: ["POST", "/api/exports/{id}/cancel"],
  createModel: ["POST", "/api/models"],
  listModels: ["GET", "/api/models"],
  showModel: ["GET", "/api/models/{id}"],
  updateModel: ["PATCH", "/api/models/{id}"],
  removeModel: ["DELETE", "/api/models/{id}"],
  deprecateModel: ["POST", "/api/models/{id}/deprecate"],
  retireModel: ["POST", "/api/models/{id}/retire"],
  cloneModel: ["POST", "/api/models/{id}/clone"],
  listModelKeys: ["GET", "/api/models/{id}/keys"],
  showMirrorReport: ["GET", "/api/models/{id}/mirror"],
  listAnnouncements: ["GET", "/api/changelog"],
  showFeed: ["GET", "/api/changelog.atom"],
  createPriceList: ["POST", "/api/price-lists"],
  listPriceLists: ["GET", "/api/price-lists"],
  showPriceList: ["GET", "/api/price-lists/{id}"],
  updatePriceList: ["PATCH", "/api/price-lists/{id}"],
  removePriceList: ["DELETE", "/api/price-lists/{id}"],
  listEndpoints: ["GET", "/api/endpoints"],
  updateEndpoint: ["PATCH", "/api/endpoints/{id}"],
  createUpstream: ["POST", "/api/upstreams"],
  listUpstreams: ["GET", "/api/upstreams"],
  showUpstream: ["GET", "/api/upstreams/{id}"],
  updateUpstream: ["PATCH", "/api/upstreams/{id}"],
  removeUpstream: ["DELETE", "/api/upstreams/{id}"],
  replaceCredential: ["PUT", "/api/upstreams/{id}/credential"],
  addCredential: ["POST", "/api/upstreams/{id}/credential"],
  removeCredential: ["DELETE", "/api/upstreams/{id}/credential"],
  testUpstream: ["POST", "/api/upstreams/{id}/test"],
  testCredential: ["POST", "/api/upstreams/{id}/credential/test"],
  examineUpstream: ["POST", "/api/upstreams/{id}/doctor"],
  listDeviations: ["GET", "/api/upstreams/{id}/deviations"],
  showUpstreamHealth: ["GET", "/api/upstreams/{id}/health"],
  listAlerts: ["GET", "/api/alerts"],
  acknowledgeAlert: ["POST", "/api/alerts/{id}/acknowledge"],
  createWebhook: ["POST", "/api/webhooks"],
  listWebhooks: ["GET", "/api/webhooks"],
  showWebhook: ["GET", "/api/webhooks/{id}"],
  updateWebhook: ["PATCH", "/api/webhooks/{id}"],
  removeWebhook: ["DELETE", "/api/webhooks/{id}"],
  rotateWebhookSecret: ["POST", "/api/webhooks/{id}/rotate-secret"],
  testWebhook: ["POST", "/api/webhooks/{id}/test"],
  listDeliveries: ["GET", "/api/webhooks/{id}/deliveries"],
  redeliver: ["POST", "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver"],
  listSignInMethods: ["GET", "/api/sign-in/methods"],
  signIn: ["POST", "/api/sign-in"],
  signOut: ["POST", "/api/sign-out"],
  showInvitation: ["POST", "/api/invitations/show"],
  acceptInvitation: ["POST", "/api/invitations/accept"],
  showAbout: ["GET", "/api/about"],
  showMe: ["GET", "/api/me"],
  updateMe: ["PATCH", "/api/me"],
  changePassword: ["POST", "/api/me/password"],
  listSessions: ["GET", "/api/me/sessions"],
  endSession: ["DELETE", "/api/me/sessions/{id}"],
  createAccessToken: ["POST", "/api/me/access-tokens"],
  listAccessTokens: ["GET", "/api/me/access-tokens"],
  revokeAccessToken: ["DELETE", "/api/me/access-tokens/{id}"],
  listViews: ["GET", "/api/me/views"],
  createView: ["POST", "/api/me/views"],
  updateView: ["PATCH", "/api/me/views/{id}"],
  removeView: ["DELETE", "/api/me/views/{id}"],
  invitePerson: ["POST", "/api/people"],
  listPeople: ["GET", "/api/people"],
  showPerson: ["GET", "/api/people/{id}"],
  updatePerson: ["PATCH", "/api/people/{id}"],
  removePerson: ["DELETE", "/api/people/{id}"],
  renewInvitation: ["POST", "/api/people/{id}/invitation"],
  endSessions: ["DELETE", "/api/people/{id}/sessions"],
  createServiceToken: ["POST", "/api/access-tokens"],
  listServiceTokens: ["GET", "/api/access-tokens"],
  revokeServiceToken: ["DELETE", "/api/access-tokens/{id}"],
  listTokensOfPerson: ["GET", "/api/people/{id}/access-tokens"],
  revokeTokenOfPerson: ["DELETE", "/api/people/{id}/access-tokens/{tokenId}"],
  listInstances: ["GET", "/api/instances"],
  showInstance: ["GET", "/api/instances/{id}"],
  restartInstances: ["POST", "/api/instances/restart"],
  writeOffInstance: ["POST", "/api/instances/{id}/write-off"],
  showLastBackup: ["GET", "/api/backups/last"],
  showConfig: ["GET", "/api/config"],
  reloadConfig: ["POST", "/api/config/reload"],
  listChanges: ["GET", "/api/audit-log"],
  runAudit: ["GET", "/api/audit"],
  showMetrics: ["GET", "/metrics"],
} as const satisfies Record<keyof Operations, readonly [string, string]>;
