/** The reasons for unsupported settings, with Tollgate's alternatives. */

const CHOICE = "Tollgate balances load by priority, weight, latency and errors, and its circuit breaker ejects failing routes";
const BREAKER = "the circuit breaker replaces it, and has no settings: see docs/routing.md#circuit-breaker";
const COOLDOWN = "the circuit breaker and credential cooldowns replace it, and have no settings: see docs/routing.md#circuit-breaker";
const FALLBACKS = "models[].routes replaces it: add a route to the fallback's upstream and model, with priority: 2";
const REJECTIONS = "there is no failover after a rejected request: clients receive the 400, and choose another model";
const OUTPUT_LIMIT = "models[].max_output_tokens replaces it as an upper limit; a lower default has to be sent by the clients";
const LIMITS = "rate limits are set on keys and accounts: tollgate keys update ID --requests-per-minute, --tokens-per-minute, --concurrent";
const SHARES = `it sets the weights of a model with several deployments, unless they have a weight; ${LIMITS}`;
const BUDGETS = "spend caps are set on keys and accounts: tollgate accounts update ID --daily-cap, --monthly-cap, --total-cap";
const RETRIES = "Tollgate retries on the other routes of a model until the response starts, within a retry budget";
const BY_THE_CALLER = "Tollgate adds nothing to a request: let the clients send it";
const UNCHANGED = "models[].parameters sets the handling of parameters that an upstream does not support";
const HEADERS = "Tollgate sends an upstream its credential and no other header";
const SIGNING = "identities at AWS, Google Cloud and Azure have the fields of docs/configuration.md#identities, and no others";
const PRICED_BY_TOKENS = "prices are per token: set the model's price by hand";
const TELEMETRY = "use traces, metrics and the request log instead: docs/traces.md, docs/metrics.md, docs/request-log.md";
const TELEMETRY_OFF = "Tollgate sends no usage statistics to its authors";
const DATABASE = "all data is in the data folder (TOLLGATE_DATA); keys, teams and spend in LiteLLM's database are not imported";
const SSO = "people sign in to the console with OpenID Connect: docs/sso.md. Clients use keys: tollgate keys create";
const KEYS = "clients use Tollgate keys: tollgate keys create";
const ALERTS = "alerts go to webhooks: tollgate webhooks create, and docs/alerts.md";
const CLUSTER = "Tollgate runs as one process and needs no Redis";
const GUARDRAILS = "Tollgate does not inspect prompts or responses";
const CHAT_ONLY = "Tollgate serves chat completions and the model list only";
/** The longest TTL of a response cache: 30 days. */
const MAX_CACHE_SECONDS = 2_592_000;
const NOT_NEEDED = "Tollgate does not need it";

type Reasons = readonly (readonly [names: RegExp, why: string])[];

const PARAMETERS: Reasons = [
  [/^(rpm|tpm)$/, SHARES],
  [/^max_parallel_requests$/, LIMITS],
  [/^(max_budget|budget_duration)$/, BUDGETS],
  [/^fallbacks$/, FALLBACKS],
  [/^allowed_fails/, BREAKER],
  [/^cooldown_time$/, COOLDOWN],
  [/^(tags|region_name)$/, CHOICE],
  [/^(num_retries|max_retries|retry_policy)$/, RETRIES],
  [/^(max_tokens|max_completion_tokens)$/, OUTPUT_LIMIT],
  [
    /^(temperature|top_p|top_k|n|stop|seed|user|presence_penalty|frequency_penalty|logit_bias|logprobs|top_logprobs|response_format|reasoning_effort|thinking|tools|tool_choice|parallel_tool_calls|service_tier|verbosity|stream|stream_options|modalities|extra_body|metadata|web_search_options)$/,
    BY_THE_CALLER,
  ],
  [/^(drop_params|additional_drop_params|allowed_openai_params|modify_params|merge_reasoning_content_in_choices)$/, UNCHANGED],
  [/^(extra_headers|headers|default_headers|organization|project)$/, HEADERS],
  [
    /^aws_web_identity_token$/,
    "set AWS_WEB_IDENTITY_TOKEN_FILE to the file of the token and AWS_ROLE_ARN to the aws_role_name: the upstream has the identity of the machine, which is then that role",
  ],
  [/^(aws_|vertex_|azure_|tenant_id$|client_id$|client_secret$|s3_|gcs_|watsonx_)/, SIGNING],
  [/^api_version$/, "Azure's v1 API, which Tollgate uses, has no version"],
  [/cost_per_|_cost$|_token_cost_/, PRICED_BY_TOKENS],
  [/^(guardrails|cache_control_injection_points)$/, GUARDRAILS],
  [/^ssl_/, "certificates are always verified against the system's trust store"],
];

const INFO: Reasons = [
  [/cost_per_|_cost$|_token_cost_/, PRICED_BY_TOKENS],
  [/^base_model$/, "no default price is known for it; check the price of this model"],
  [/^(access_groups|team_id|team_public_model_name)$/, "each key has a list of models: tollgate keys create --models"],
  [/^supported_environments$/, "each Tollgate has its own config file: remove the model where it should not be"],
  [/^(id|db_model|version|created_.*|updated_.*|description|key|litellm_provider|supports_.*|supported_.*|health_check.*)$/, NOT_NEEDED],
];

const SETTINGS: Reasons = [
  [/^(context_window|content_policy)_fallbacks$/, REJECTIONS],
  [/fallbacks$/, FALLBACKS],
  [/^allowed_fails/, BREAKER],
  [/^(cooldown_time|disable_cooldowns)$/, COOLDOWN],
  [/^(routing_strategy.*|routing_groups|enable_tag_filtering|tag_filtering.*)$/, CHOICE],
  [/^(max_tokens|max_completion_tokens)$/, OUTPUT_LIMIT],
  [/^enable_pre_call_checks?$/, "the upstream rejects a prompt that is too long, and the client receives context_length_exceeded"],
  [/^(optional_pre_call_checks|default_priority|polling_interval|provider_budget_config)$/, CHOICE],
  [/^(num_retries|max_retries|retry_policy|retry_after|model_group_retry_policy)$/, RETRIES],
  [/^(drop_params|modify_params|enable_preview_features|enable_json_schema_validation)$/, UNCHANGED],
  [/callbacks?$|^(callback_settings|langfuse_.*|turn_off_message_logging|redact_.*|.*spend_logs.*|prometheus_.*|otel.*)$/, TELEMETRY],
  [
    /^(set_verbose|debug_level|json_logs|log_.*|suppress_debug_info)$/,
    "TOLLGATE_LOG_LEVEL and TOLLGATE_LOG_FORMAT set the level and the format of the log",
  ],
  [/^(cache_responses|cache_kwargs|caching_groups|client_ttl|.*cache_ttl)$/, whyNotCache(undefined)],
  [/^telemetry$/, TELEMETRY_OFF],
  [/^redis_/, CLUSTER],
  [/^api_(key|base)$/, "each upstream has its own base URL and credential"],
  [
    /^(master_key|salt_key)$/,
    "operators use TOLLGATE_OPERATOR_TOKEN, or the token created at the first start. Clients use keys: tollgate keys create",
  ],
  [/^(database_|disable_.*(spend|budget|prisma|db)|allow_requests_on_db|proxy_batch_|proxy_budget_|use_redis)/, DATABASE],
  [/^(store_model_in_db|supported_db_objects)$/, "models in LiteLLM's database are not in this file: add them to tollgate.yaml by hand"],
  [/budget|^(default_team_settings|default_internal_user_params|default_key_generate_params|upperbound_key_generate_params)$/, BUDGETS],
  [/parallel_requests$|^(rpm|tpm)_|_(rpm|tpm)(_|$)/, LIMITS],
  [/sso|^(ui_access_mode|litellm_jwtauth|enable_jwt_auth)$/, SSO],
  [
    /auth|jwt|^(allow_.*|public_routes|admin_only_routes|allowed_routes|allowed_ips|.*key_generat.*|litellm_key_header_name|key_management.*)$/,
    KEYS,
  ],
  [/alert|slack/, ALERTS],
  [/^(max_request_size_mb)$/, "TOLLGATE_MAX_BODY_BYTES sets the largest request body"],
  [/guardrail/, GUARDRAILS],
  [/^(pass_through_endpoints|mcp_.*|completion_model|embedding_model|image_generation_model|moderation_model|.*_model)$/, CHAT_ONLY],
  [/^(model_alias_map|model_group_alias)$/, "declare the model under its other name as well"],
  [/^(default_litellm_params)$/, BY_THE_CALLER],
  [/^(ssl_.*|force_ipv4)$/, "certificates are always verified against the system's trust store"],
];

const SECTIONS: Reasons = [
  [/^include$/, "included files are not read: import each of them, and merge the models"],
  [/guardrail|polic/, GUARDRAILS],
  [/^(mcp_.*|vector_store.*|search_tools|files_settings|finetune_settings|agent.*|prompts|assistant_settings)$/, CHAT_ONLY],
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

/** `cache` and `cache_params`, with the TTL of the file, if it is a valid one. */
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
