/** The reasons for unsupported settings, with Tollgate's alternatives. */

const CHOICE = "Tollgate balances load by priority, weight, latency and errors, and its circuit breaker ejects failing routes";
const BREAKER = "the circuit breaker replaces it, and has no settings: see docs/routing.md#circuit-breaker";
const COOLDOWN = "the circuit breaker and credential cooldowns replace it, and have no settings: see docs/routing.md#circuit-breaker";
const FALLBACKS = "models[].fallback_models replaces it: fallbacks belong to a model, not to one of its routes";
const OUTPUT_LIMIT = "models[].max_output_tokens replaces it as an upper limit; a lower default has to be sent by the clients";
const LIMITS = "rate limits are set on keys and accounts: tollgate keys update ID --requests-per-minute, --tokens-per-minute, --concurrent";
const BUDGETS = "spend caps are set on keys and accounts: tollgate accounts update ID --daily-cap, --monthly-cap, --total-cap";
const RETRIES = "Tollgate retries on the other routes of a model until the response starts, within a retry budget";
const BY_THE_CALLER = "it is not converted to a default parameter: let the clients send it, or add it to routes[].defaults by hand";
const UNCHANGED = "models[].unknown_parameters and models[].parameters set the handling of parameters that an upstream does not support";
const HEADERS = "headers of clients do not reach an upstream: upstreams[].headers sets headers that are always sent";
const SIGNING = "identities at AWS, Google Cloud and Azure have the fields of docs/configuration.md#identities, and no others";
const PRICED_BY_TOKENS = "prices are per token: set the model's price by hand";
const TELEMETRY = "use traces, metrics and the request log instead: docs/traces.md, docs/metrics.md, docs/request-log.md";
const TELEMETRY_OFF = "Tollgate sends no usage statistics to its authors";
const DATABASE =
  "all data is in the data folder (TOLLGATE_DATA); keys, teams and budgets are imported from LiteLLM's database with tollgate import keys";
const SSO = "people sign in to the console with OpenID Connect: docs/sso.md. Clients use keys: tollgate import keys, or keys create";
const KEYS = "clients use Tollgate keys: tollgate import keys, or keys create";
const ALERTS = "alerts go to webhooks: tollgate webhooks create, and docs/alerts.md";
const CLUSTER = "Tollgate needs no Redis: its replicas share a PostgreSQL database, see docs/high-availability.md";
const GUARDRAILS = "Tollgate does not inspect prompts or responses";
const OTHER_ENDPOINTS = "Tollgate serves chat completions, messages, responses, embeddings and the model list only";
const BATCHES = "batches that are larger than the upstream takes are sent in parts: see docs/embeddings.md#large-batches";
/** The longest TTL of a response cache: 30 days. */
const MAX_CACHE_SECONDS = 2_592_000;
export const NOT_NEEDED = "Tollgate does not need it";
const ACCESS = "each key has a list of models: tollgate keys create --models";
const HEALTH = "each call shows the health of its route, and a route that fails is probed: see docs/routing.md#circuit-breaker";
const ONE_PRICE = "a model has one price per token, for all callers and at all times: set the model's price by hand";
const ATTRIBUTION = "clients name users and tags in a request, and keys can have tags: see docs/attribution.md";
const PASSWORDS = "passwords and failed sign-ins have fixed rules: see docs/access.md#passwords";
const MARGIN = "price lists replace it: a percentage of the base prices for the accounts that have the list, see docs/price-lists.md";
const END_USER = "clients name the end user in the body, by user or safety_identifier, and no header does: see docs/attribution.md";
const PER_USER = "spend caps per end user replace it: tollgate accounts update ID --user-monthly-cap, see docs/limits.md";
const PER_PROVIDER = "there are no spend caps per provider: accounts and keys have spend caps, and routes have rate limits";
const FIREWALL = "Tollgate has no list of client addresses: restrict them in the firewall or the proxy in front of it";
const ADDRESSES = "TOLLGATE_TRUSTED_PROXIES and the network decide who can connect: see docs/configuration.md";

type Reasons = readonly (readonly [names: RegExp, why: string])[];

const PARAMETERS: Reasons = [
  [/^(rpm|tpm)$|^max_parallel_requests$|^(itpm|otpm|tpd|rpd|daily_reset_time)$|^default_api_key_/, LIMITS],
  [/^(max_budget|budget_duration)$/, BUDGETS],
  [/^fallbacks$/, FALLBACKS],
  [/^allowed_fails/, BREAKER],
  [/^cooldown_time$/, COOLDOWN],
  [/^(tags|tag_regex|region_name|provider_affinity_header|kubernetes_pod_discovery)$|_router_/, CHOICE],
  [/_by_service_tier$/, "timeouts belong to an upstream or a model, for all of their calls"],
  [/keepalive/, "connections to upstreams are kept alive while they are used"],
  [/^configurable_clientside_auth_params$/, "clients cannot choose the upstream or its credential"],
  [/^(anthropic_|openai_(identity|service)|token_exchange_|use_xai_oauth|chatgpt_auth_file|bucket_name$|bedrock_tags)/, SIGNING],
  [/^(vector_|index_name|embedding_model|milvus_|valkey_|use_in_pass_through|responses_api_version|max_file_size_mb)/, OTHER_ENDPOINTS],
  [/^(num_retries|max_retries|retry_policy)$/, RETRIES],
  [
    /^(temperature|top_p|top_k|n|stop|seed|user|presence_penalty|frequency_penalty|logit_bias|logprobs|top_logprobs|response_format|reasoning_effort|thinking|tools|tool_choice|parallel_tool_calls|service_tier|verbosity|stream|stream_options|modalities|extra_body|metadata|web_search_options)$/,
    BY_THE_CALLER,
  ],
  [/^(dimensions|encoding_format)$/, "let the clients send it: an embedding model has no default parameters"],
  [/^(drop_params|additional_drop_params|allowed_openai_params|modify_params|merge_reasoning_content_in_choices)$/, UNCHANGED],
  [
    /^aws_web_identity_token$/,
    "set AWS_WEB_IDENTITY_TOKEN_FILE to the file of the token and AWS_ROLE_ARN to the aws_role_name: the upstream has the identity of the machine, which is then that role",
  ],
  [/^(aws_|vertex_|azure_|tenant_id$|client_id$|client_secret$|s3_|gcs_|watsonx_)/, SIGNING],
  [/^api_version$/, "Azure's v1 API, which Tollgate uses, has no version"],
  [/cost_per_|_cost$|_token_cost_/, PRICED_BY_TOKENS],
  [/^guardrails$/, GUARDRAILS],
  [/^(cache_control_injection_points|fireworks_forward_user_id|thought_signature_.*)$/, BY_THE_CALLER],
  [/^(use_chat_completions_api|litellm_trace_id|model_info|enable_azure_ad_token_refresh)$/, NOT_NEEDED],
  [/^ssl_/, "certificates are always verified against the system's trust store"],
];

const INFO: Reasons = [
  [/^(rpm|tpm)$/, LIMITS],
  [/^max_tokens$/, "LiteLLM shows it, and enforces nothing: use models[].max_output_tokens to limit responses"],
  [/cost_per_|_cost$|_token_cost_/, PRICED_BY_TOKENS],
  [/^base_model$/, "no default price is known for it; check the price of this model"],
  [/^(access_groups|team_public_model_name|access_windows|discoverable|member_auto_router|internal_router_model)$/, ACCESS],
  [/uplift|pricing|ptu_|_ptu|PTU|^(tier|web_search_billing_unit|search_free_requests)$/, ONE_PRICE],
  [/supports_|^(reasoning_|default_reasoning|thinking_|token_count_|bedrock_|prompt_cache_|provider_specific_)/, NOT_NEEDED],
  [/^enable_tag_filtering$/, CHOICE],
  [/^(output_vector_size|max_output_tokens)$/, NOT_NEEDED],
  [/^max_embedding_batch_size$/, BATCHES],
  [/^(uses_embed_content|vertex_ai_audio_api|use_openai_responses_path|enforce_supported_endpoints)$/, OTHER_ENDPOINTS],
  [/^supported_environments$/, "each Tollgate has its own config file: remove the model where it should not be"],
  [
    /^(id|db_model|version|created_.*|updated_.*|description|key|litellm_provider|supports_.*|supported_.*|health_check.*|disable_background_health_check|allow_fail_open)$/,
    NOT_NEEDED,
  ],
];

const SETTINGS: Reasons = [
  [/^max_fallbacks$/, RETRIES],
  [/^user_api_key_cache/, KEYS],
  [/^completion_model$/, "clients name the model of each request, and it is never replaced by another one"],
  [
    /pass_?through|mcp_|vector_store|search_tool|agent|max_batch_|response_ids|responses_|claude_code|_file_|_files?$|^(max_file_size_mb|transcribe_media_buckets|assistants_config|(embedding|image_generation|moderation)_model|missing_session_id)$/,
    OTHER_ENDPOINTS,
  ],
  [/password_policy|failed_login|disable_env_credential_login/, PASSWORDS],
  [/health_?check|^model_list_healthy_only$/, HEALTH],
  [/^cost_(discount|margin)_config$/, MARGIN],
  [/^user_header_(name|mappings)$/, END_USER],
  [/^max_end_user_budget/, PER_USER],
  [/^provider_budget_config$/, PER_PROVIDER],
  [/^allowed_ips$/, FIREWALL],
  [/^model_cost_map_url$/, ONE_PRICE],
  [
    /^(public_model_groups|enable_public_model_hub|return_wildcard_routes|default_team_disabled|enforce_fallback_model_access|fallback_access_check)$/,
    ACCESS,
  ],
  [/^(use_x_forwarded_for|trusted_proxy_ranges|user_url_.*|provider_url_.*|control_plane_url)$/, ADDRESSES],
  [
    /^(user_header_.*|extra_spend_tag_headers|reject_clientside_metadata_tags|request_tag_mappings|enforce_user_param|enforced_params)$/,
    ATTRIBUTION,
  ],
  [/^(forward_.*)$/, HEADERS],
  [
    /retention_period$|^(spend_report_frequency|disable_error_logs|disable_requester_ip_address_logging|accounting_.*|spend_capture_.*)$/,
    TELEMETRY,
  ],
  [
    /^(max_in_flight_requests_per_worker|max_queued_requests_per_worker|admission_queue_timeout_seconds)$/,
    "upstreams[].concurrency sets the concurrent calls, the queue and the longest wait of each upstream",
  ],
  [/fallbacks$/, FALLBACKS],
  [/^allowed_fails/, BREAKER],
  [/^(cooldown_time|disable_cooldowns)$/, COOLDOWN],
  [
    /^(routing_strategy.*|routing_groups|enable_tag_filtering|tag_.*|weights|.*affinity.*|enable_weighted_failover|auto_router_.*)$/,
    CHOICE,
  ],
  [/^(enable_mid_stream_fallback_continuation|fallback_on_unsupported_params|disable_fallbacks_on_.*|disable_retry_on_.*)$/, RETRIES],
  [/^(max_tokens|max_completion_tokens)$/, OUTPUT_LIMIT],
  [/^enable_pre_call_checks?$/, "the upstream rejects a prompt that is too long, and the client receives context_length_exceeded"],
  [/^(optional_pre_call_checks|default_priority|polling_interval)$/, CHOICE],
  [/^(num_retries|max_retries|retry_policy|retry_after|model_group_retry_policy)$/, RETRIES],
  [/^(drop_params|modify_params|enable_preview_features|enable_json_schema_validation)$/, UNCHANGED],
  [/callbacks?$|^(callback_settings|langfuse_.*|turn_off_message_logging|redact_.*|.*spend_logs.*|prometheus_.*|otel.*)$/, TELEMETRY],
  [
    /^(set_verbose|debug_level|json_logs|log_.*|suppress_debug_info)$/,
    "TOLLGATE_LOG_LEVEL and TOLLGATE_LOG_FORMAT set the level and the format of the log",
  ],
  [/^(cache_responses|cache_kwargs|caching_groups|client_ttl|.*cache_ttl)$/, whyNotCache(undefined)],
  [/^telemetry$/, TELEMETRY_OFF],
  [/^redis_|^coordination_redis$/, CLUSTER],
  [/^(api_key|api_base|[a-z]+_key|organization)$(?<!master_key|salt_key)/, "each upstream has its own base URL and credential"],
  [
    /^(master_key|salt_key)$/,
    "operators use TOLLGATE_OPERATOR_TOKEN, or the token created at the first start. Clients use keys: tollgate import keys, or keys create",
  ],
  [/^(database_|disable_.*(spend|budget|prisma|db)|allow_requests_on_db|proxy_batch_|proxy_budget_|use_redis)/, DATABASE],
  [
    /^(store_model_in_db|supported_db_objects)$/,
    "models in LiteLLM's database are not in this file: convert them with tollgate import keys --salt-key-file",
  ],
  [/budget|^(default_team_settings|default_internal_user_params|default_key_generate_params|upperbound_key_generate_params)$/, BUDGETS],
  [/parallel_requests$|^(rpm|tpm)_|_(rpm|tpm)(_|$)/, LIMITS],
  [/sso|^(ui_access_mode|litellm_jwtauth|enable_jwt_auth)$/, SSO],
  [
    /auth|jwt|^(allow_.*|public_routes|admin_only_routes|allowed_routes|.*key_generat.*|litellm_key_header_name|key_management.*|use_google_kms|use_azure_key_vault|infer_model_from_keys|service_account_settings|dangerously_.*|disable_master_key_return|enable_key_alias_.*)$/,
    KEYS,
  ],
  [/alert|slack/, ALERTS],
  [/^(max_request_size_mb)$/, "TOLLGATE_MAX_BODY_BYTES sets the largest request body"],
  [/guardrail/, GUARDRAILS],
  [/^completion_model$/, "clients name the model of each request, and it is never replaced by another one"],
  [
    /pass_through|mcp_|vector_store|search_tool|agent|batch|websocket|responses_|^(embedding_model|image_generation_model|moderation_model|.*_model)$/,
    OTHER_ENDPOINTS,
  ],
  [/^(model_alias_map|model_group_alias)$/, "declare the model under its other name as well"],
  [/^force_ipv4$|^aiohttp_/, "connections to upstreams have no settings but timeouts and concurrency"],
  [/^ssl_/, "certificates are always verified against the system's trust store"],
];

const SECTIONS: Reasons = [
  [/^include$/, "included files are not read: import each of them, and merge the models"],
  [/guardrail|polic/, GUARDRAILS],
  [
    /^(mcp_.*|vector_store.*|search_tools|sandbox_tools|files_settings|finetune_settings|agent.*|prompts|assistant_settings|default_vertex_config)$/,
    OTHER_ENDPOINTS,
  ],
  [/callback/, TELEMETRY],
];

export const NO_EQUIVALENT = "no equivalent in Tollgate";

export function whyNotParameter(name: string): string {
  return find(PARAMETERS, name);
}

export function whyNotInfo(name: string): string {
  return find(INFO, name);
}

/** A field of `litellm_settings`, `router_settings` or `general_settings`. LiteLLM accepts many fields in any of the three. */
export function whyNotSetting(name: string): string {
  return find(SETTINGS, name);
}

/** `cache` and `cache_params`, with the TTL of the file if it is valid. */
export function whyNotCache(ttlSeconds: number | undefined): string {
  const isValid = ttlSeconds !== undefined && Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= MAX_CACHE_SECONDS;
  const example = `cache: { ttl_seconds: ${isValid ? ttlSeconds : 3600} }`;
  return `models[].cache replaces it: ${example} on each model that should have a response cache`;
}

/** A top-level section. */
export function whyNotSection(name: string): string {
  return find(SECTIONS, name);
}

function find(reasons: Reasons, name: string): string {
  return reasons.find(([names]) => names.test(name))?.[1] ?? NO_EQUIVALENT;
}
