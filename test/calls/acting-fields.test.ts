import { describe, expect, it } from "vitest";
import { type Act, actingFields, actOf } from "../../src/adapters/calls/acting-fields.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import type { Operation } from "../../src/board/operation.ts";
import { call, register } from "../support/boards/client.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";

const ACTING: Record<string, unknown> = Object.fromEntries(
  (
    "dry_run dryRun is_draft draft saveAsDraft preview previewOnly validate_only simulate test_mode sandbox publish do_not_publish confirm " +
    "needs_confirmation require_approval on_hold pending_review noop status deleted cancel private isPrivate privacy_level visibility visible_to hidden " +
    "hide_phone hide_from_search unlisted searchable audience recipient recipients to cc send_to share_with access_level permissions members_only only_me " +
    "who_can_see confidential anonymous publish_at publishAt publish-on scheduled_at schedule send_later go_live_at embargo_until not_before valid_until " +
    "expires_in ttl keep_for retention_days delete_after self_destruct notify_followers silent"
  )
    .split(" ")
    .map((name) => [name, name.startsWith("p") ? false : "x"]),
);

const DECORATING =
  "price currency color emoji icon image_url preview_image photos thumbnail subtitle summary author contact_email phone website mood rating capacity dress_code " +
  "private_parking public_transport menu difficulty speakers confirmed_speakers age_limit ticket_url rsvp_url registration_deadline opening_hours duration_minutes " +
  "size brand condition material sku published_year edition font background footnote hobby pets_allowed furnished bedrooms floor deposit salary experience remote " +
  "accessibility wheelchair_access family_friendly what_to_bring directions cash_only draft_beer genre hidden_fees cancellation_policy release_date open_until";

const { operations, tools } = await loadCatalog();
const writing = operations.filter(({ effect }) => effect !== "reads");
const writingTools = tools
  .filter(({ effect }) => effect !== "reads")
  .map((tool): [string, Operation] => [tool.name, tool]);

const board = useTestBoard();
const own = usePublisher(board, "Writer");
const client = useClient(board, "/mcp", own);
const newcomer = useClient(board, "/mcp");

/** A right input of an operation, by a publisher of its own where it ends with the call. */
async function inputOf(operation: Operation, n: number, key: string): Promise<Record<string, unknown>> {
  const { name, examples } = operation;
  const [example = {}] = structuredClone(examples) as Record<string, unknown>[];
  const text = {
    title: `Notice ${n} of ${name}`,
    body: `Text ${n} of ${name}: ${"abcdefgh"[n % 8]}${n * 7919}.`,
  };
  if (name === "create_post") return text;
  if (name === "register_publisher") return { name: `Publisher ${n}`, accept_terms: true };
  if (/_post$/.test(name)) {
    const { body } = await call(board, "POST /posts", text, { key });
    return name === "report_post" ? { ...example, post_id: body.data.id } : { ...example, id: body.data.id };
  }
  if (name === "subscribe") return { query: { q: `lute ${n}` } };
  if (/subscription|webhook|secret|redeliver/.test(name)) {
    const { body } = await call(board, "POST /subscriptions", { query: { q: `harp ${n} ${name}` } }, { key });
    return { ...example, id: body.data.id };
  }
  return example;
}

async function overRest(
  { rest }: Operation,
  input: Record<string, unknown>,
  key: string | undefined,
  query = "",
) {
  const path = rest.path.replace(/\{(\w+)\}/g, (_, name: string) => String(input[name]));
  const ids = [...rest.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const body = Object.fromEntries(Object.entries(input).filter(([name]) => !ids.includes(name)));
  return call(board, `${rest.method} ${path}${query}`, body, key === undefined ? {} : { key });
}

/** All that the publisher has, as one text. */
async function stateOf(key: string): Promise<string> {
  const me = (await call(board, "GET /publishers/me", undefined, { key })).body.data;
  const posts = (await call(board, `GET /posts?publisher=${me.id}&limit=100&include_replies=true`)).body.data;
  return JSON.stringify([me, posts.map((post: object) => ({ ...post, retrievals: 0 }))]);
}

describe("a field that would change who sees what, when, for how long, or whether anything happens,", () => {
  it.each(Object.entries(ACTING))("is enough alone: %s", async (field, value) => {
    const { status, body } = await call(board, "POST /posts", { title: "A", body: "B", [field]: value }, own);
    expect([status, body.error?.issues]).toEqual([400, [expect.objectContaining({ path: field })]]);
  });

  it.each(writing.map((operation) => [operation.name, operation] as const))(
    "refuses %s over REST, and nothing is written",
    async (name, operation) => {
      const { key } = await register(board, name);
      const input = await inputOf(operation, 0, key);
      const before = await stateOf(key);
      const { status, body } = await overRest(operation, { ...input, ...ACTING }, key);
      expect([status, body.error?.code]).toEqual([400, "invalid_request"]);
      const named = body.error.issues.map(({ path }: { path: string }) => path);
      expect(named).toEqual(expect.arrayContaining(Object.keys(ACTING)));
      expect(body.error.hint).toContain("Nothing was written");
      expect(await stateOf(key)).toBe(before);
    },
  );

  it.each(writingTools)("refuses %s over MCP, and nothing is written", async (name, tool) => {
    const input = await inputOf(tool, 1, own.key);
    const before = await stateOf(own.key);
    const { text, isError } = await client.call(name, { ...input, ...ACTING });
    expect([isError, text]).toEqual([true, expect.stringContaining("Nothing was written")]);
    for (const field of Object.keys(ACTING)) expect(text).toContain(`- ${field}: Is not a parameter`);
    expect(await stateOf(own.key)).toBe(before);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["inside of another field", { options: { dry_run: true } }, "options.dry_run"],
    ["deep inside", { meta: { publishing: [{ rules: { visibleTo: ["me"] } }] } }, "meta.publishing"],
    ["in JSON as text", { settings: '{"draft": true}' }, "settings.draft"],
    ["inside of the place", { location: { name: "Berlin", visibility: "private" } }, "location.visibility"],
    ["as the value of a field that only names a choice", { mode: "preview" }, "mode"],
    ["among flags", { options: ["draft"] }, "options"],
    ["by a name that is near to one we have", { expires: "2099-01-01" }, "expires"],
  ])("is found %s", async (_where, field, path) => {
    const { status, body } = await call(board, "POST /posts", { title: "A", body: "B", ...field }, own);
    expect([status, body.error?.issues[0].path]).toEqual([400, path]);
  });

  it.each<[`POST ${string}`, Record<string, unknown>, number]>([
    ["POST /posts", { title: "A", body: "In a state", location: { name: "Austin", state: "Texas" } }, 201],
    ["POST /posts", { title: "A", body: "Misspelt", location: { nam: "Austin", lat: 30, lng: -98 } }, 400],
    ["POST /posts", { title: "A", body: "Of a kind", kind: "concerts" }, 400],
    ["POST /subscriptions", { query: { q: "austin", sort: "newest" } }, 201],
    [
      "POST /subscriptions",
      { query: { q: "dallas", limit: 5, cursor: "c", detail: "full", api_key: "x" } },
      201,
    ],
    ["POST /subscriptions", { query: { q: "austin", colour: "red" } }, 400],
  ])("is told from one that is only unknown: %s %j", async (route, sent, expected) => {
    const { status, body } = await call(board, route, sent, own);
    expect(status, JSON.stringify(body)).toBe(expected);
    if ("kind" in sent) expect(body.error.issues[0].message).toMatch(/this is called event\./);
  });

  it("is found in the address of every call that writes, and in a form", async () => {
    for (const operation of writing) {
      const { key } = await register(board, operation.name);
      const { body } = await overRest(operation, await inputOf(operation, 2, key), key, "?draft=true");
      expect([operation.name, body.error?.issues?.[0].path]).toEqual([operation.name, "draft"]);
    }
    const form = new URLSearchParams({ do: "register", name: "By form", accept_terms: "yes", preview: "1" });
    const answer = await fetch(`${board.url}/join`, { method: "POST", body: form });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("preview")]);
  });

  it("is the caller's own inside of metadata, and nothing where a call only reads or the field is null", async () => {
    const post = {
      title: "Mine",
      body: "My own words.",
      metadata: { draft: true, options: { to: "x" } },
      private: null,
    };
    expect((await call(board, "POST /posts", post, own)).status).toBe(201);
    expect((await call(board, "GET /search?dry_run=true")).status).toBe(200);
  });

  it.each([
    [{ query: { q: "e-bike" }, price_max: 900 }, "price_max"],
    [{ query: { q: "e-bike" }, frequency: "daily" }, "frequency"],
    [{ query: { q: "e-bike" }, exclude: ["trikes"] }, "exclude"],
    [{ query: { q: "e-bike" }, notify: "me@example.org" }, "notify"],
    [{ query: { q: "e-bike" }, until: "2099-01-01" }, "until"],
    [{ query: { q: "e-bike", language: "de" } }, "query.language"],
    [{ query: { q: "e-bike" }, near: "Berlin" }, "near"],
  ])("refuses a saved query: %j", async (sent, path) => {
    const rest = await call(board, "POST /subscriptions", sent, own);
    expect([rest.status, rest.body.error?.issues[0].path]).toEqual([400, path]);
    expect((await client.call("subscribe", sent)).text).toContain(`- ${path}: `);
  });
});

/** Fields of the kind that were thought of apart from the rule, and others that look like them and only describe. */
const OF_THE_KIND =
  "audience unlisted only_for schedule go_live_at embargo ttl auto_delete notify_only simulate test_mode sandbox anonymous hide_email no_index dontPublish publish-later " +
  "post_when send_after visible_from visible_until removeAfterDays destroy_at self_destruct incognito stealth_mode friends_only followers_only staff_only invite_only " +
  "allowed_viewers viewable_by restricted_to share-with direct_message deliver_to activate_on launch_at start_showing release_at hold_until simulated rehearse what_if lint_only " +
  "is_test is_published isPublic seo_index needs_review ask_before_posting mute_replies lock_thread disable_replies pinned promote mask_phone obfuscate_email passphrase acl " +
  "entwurf privat sichtbarkeit veröffentlichen_am geheim ablaufdatum brouillon privé visibilité borrador privado publicar_el bozza rascunho 非公開 下書き черновик " +
  "x-dry-run X-Draft _draft $schedule delay_minutes expireAfter keep_days purge_after withdraw_at notify_subscribers exclude_from_search hideFromFeed";
const LIKE_IT =
  "registration_deadline doors_open_at last_entry age_group target_group spoken_language max_participants seats_left early_bird_price sold_out public_transport host lineup " +
  "break_times indoor refund_policy contact_phone whatsapp image_alt condition year_built negotiable delivery pickup_times available_from move_in_date lease_term hours_per_week " +
  "job_type start_month schedule_url release_notes draft_beer private_room private_lessons private_garden public_holiday hidden_gem secret_santa secret_recipe test_drive " +
  "trial_lesson preview_video publication_year publisher_name live_music confirmed_guests group_size members_count scheduled_speakers closed_on accepts_cards share_price " +
  "expiry_date_of_milk lock_type key_safe index_fund programmer_wanted flight_simulator privet_hedge cache_size index_number feed_type ablauf";

/** Each of these says alone, or beside words that say nothing, what it does. */
const TOLD: readonly (readonly [Act, string])[] = [
  [
    "whether",
    `draft drafts dryrun preview previews publish published publishes publishing unpublish autopublish notify notified notifies notification
    notifications remind reminder reminders reminds delete deleted deletes deleting deletion undelete autodelete crosspost crossposted crossposting noop
    sandboxed simulate unapproved`,
  ],
  [
    "who",
    `visibility hide hides hiding unhide audience audiences recipient recipients addressee addressees unlist unlisted unlisting delist delisted bcc
    permission permissions confidential confidentiality anonymous anonymize pseudonym pseudonymous incognito encrypt encrypted encryption redact redacted
    acl searchable discoverable discoverability indexable noindex viewable findable geofence geofenced allowlist whitelist blocklist denylist obfuscate
    shadowban shadowbanned nofollow`,
  ],
  ["when", "embargo embargoed embargoes backdate backdated backdates"],
  [
    "how long",
    `expire expires expired expiry expiring expiration ttl retention disappear disappears disappearing vanish vanishes vanishing selfdestruct
    snooze snoozed purge purged destroy destroyed destroys cleanup`,
  ],
  [
    "whether",
    `entwurf Entwürfe brouillons borradores bozza bozze rascunhos szkic utkast kladde luonnos taslak probelauf simulieren simuler simular
    simulación simulazione vorschau aperçu veröffentlicht publier_le publicar pubblicare publikuj publicera publisere publicat_pe benachrichtigen notifier
    notificare 草稿 下書き 草案 임시 черновик 预览 プレビュー مسودة`,
  ],
  [
    "who",
    `privatpersonen privé privée privés privées privada prywatne vertraulich confidentiel confidencial riservato vertrouwelijk poufne sichtbar_für
    zichtbaarheid visibilité widoczność synlighet unsichtbar versteckt verborgen oculto nascosto nascondere cachée cachées ukryte geheim secreto secretas
    secrete segreto tajne hemligt empfänger destinataires destinatari ontvangers odbiorcy mottagare modtagere anonyme 公開 公开 私密 非公開 非公 限定 隐藏 비공개
    공개 приватно скрыто видимость секрет`,
  ],
  [
    "when",
    `geplant_für zeitgesteuert programar programado_para programmato programmata programmati programmate planifié ingepland zaplanowane schemalagd
    予約 定时 预约 예약 отложено запланировано`,
  ],
  [
    "how long",
    `ablaufdatum ablaufzeit verfall caducidad scadenza vencimiento validez verloopt_op vervaldatum wygasa utgångsdatum löschen_am supprimer
    eliminar borrar verwijderen 有効期限 过期 만료 истекает`,
  ],
  // The word that acts stands beside one that says nothing more.
  [
    "whether",
    `is_dry mock_api sandbox_server simulation_mode some_pretend for_rehearsal validate_if_any_thread are_validated at_validation must_confirm_automatic confirmed_via_reply
    awaiting_confirmation moderator_should_approve approved_by_moderators requested_approval we_moderated have_moderation can_execute_manually manual_commit may_apply simulated_operation
    then_rehearse made_fake debug_level own_activation no_recall moderate_reviewed_search syndicate_feed my_submit it_submitted send_instant_notice sending_setting_of_mine sent_reply
    resend_soon instantly_save today_saved persist_automatically this_test does_testing when_trial set_staging live_human status_check the_state
    really_active now_inactive activate_first deactivate_last enable_opt_options flag_enabled disable_settings_configuration flags_disabled pause_all paused_each
    suspend_every suspended_time forced_cancel_item cancelled_items canceled_entry withdraw_entries withdrawn_on revoke_user revoked_users undo_change_actions
    rollback_changes remove_record removed_object removal_rules close_own_comment closed_replies queue_message queued_messages pending_review hold_posts
    held_request_immediately silent_immediate_updates silently_go quiet_hours quietly_posting mute_comments muted_channel push_notices broadcast_channels forward_msg
    accept_respond decline_responses skip_page abort_if_duplicate auto_renew extend_days repost_weeks deliver_times verify_agents_registered publication_type force was_sent_before it_has_sent could_be_saved do_save_its_value post_without_sending just_wants_trial needs_approval await_approval
    required_call_approval once_verified_send wait_for_active_config option_update_rule_test kind_of_testing run_live_response overwrite_content upsert_duplicates`,
  ],
  [
    "who",
    `private_person privately make_privacy public_to_people publicly_want visible_which_persons invisible_publishers hidden_publisher_readers restrict_reader_roles restricted_role internal_org_operation
    self_secret secretly_sent protected_feeds password_logged require_passcode login_requires must_login no_robots seo_index_searches crawl_listing indexed_page
    no_indexing your_passphrase shadow_result_modes featured_x to_whom cc_me dm_you direct_contact direct_contacts never_access share_with_us_an_look
    shared_within_team sharing_in_teams scope_results target_groups targets_circle targeting_circles targeted_users only_friends only_friend
    listed_or_not exclude_followers excluded_follower except_subscribers block_subscriber blocked_users deny_non_human disallow_anybody allows_allow
    allowed_nobody lock_author_admin locked_since viewers_none who_may_see_read whom_i_want invitee_id invitees_ids invite_operator_admins invited_member readable_by_everybody
    shown_that_board pin_what_i_write pinned_start sticky_starts boost_edit_week boosted_month promote_editing_limit promoted_minutes bump_created distribution_creation_list
    distribute_lists gated_web paywall_default stealth_create withhold_organization withheld_organisation members_only agent_access_view viewer_group_scope anyone_may_invite everyone_can_share_from_views
    private_site owner_action_lock how_shared`,
  ],
  [
    "when",
    `schedule_datetime scheduled_timestamp scheduling_had_need delay_s delayed_sec defer_secs deferred_second postpone_hrs postponed_hr release_ts
    released_utc later_limited reveal_yet unveil_into release_iso_hour delay_min delayed_after_max_months`,
  ],
  [
    "how long",
    `until_date till_then lifetime_hours lifespan_minute ephemeral_message archive_messages archived_as temporary_content temporarily_stored
    permanent_resource permanently_keep dont_keep retain_mins forever_and_a_day valid_seconds timeout_ms destruct_initially`,
  ],
  // The words of these whole names say less, or something else, alone.
  [
    "whether",
    `whatif what_if programmer_pour nurTest explain_only lint_only estimateOnly plan_only check_only ask_before_posting ask_first ask_user no_op
    no_write no_post needs_review review_first review_required requires_review in_review demo_mode is_demo is_fake webhook_url callback_url on_success
    on_conflict auto_reply auto_respond email_me dontPost do_not_post`,
  ],
  [
    "who",
    `access_code staff_only no_index dont_index no_feed no_rss no_search no_syndication show_email show_phone show_contact show_address show_author
    show_location show_to show_only_to show_in_search display_to for_whom email_to mail_to reveal_contact mask_email mask_phone assignee assigned_to
    assign_to geo_targeting geo_restriction age_gate members for_members intended_for attn`,
  ],
  [
    "when",
    `post_when start_showing show_on show_from show_after show_at launch_at activation_date post_at post_on post_after post_date post_time not_before
    display_from display_at effective_from effective_at`,
  ],
  [
    "how long",
    `show_until display_until max_views view_limit view_once burn_after_reading not_after run_days listing_days post_days take_down_at
    takedown_at`,
  ],
  // No thing behind a verb makes another field of it.
  [
    "who",
    `hide_phone unhide_email_text redact_name encrypt_note anonymize_author_name anonymise_label unlist_link viewable_by`,
  ],
  ["whether", `notify_place remind_phone delete_photos publish_url unpublish_version`],
  ["how long", "expire_link"],
];

/** These name a thing behind a word that would act, or are near to such a word. */
const ONLY_NAMED = `preview_image preview_images preview_img preview_url preview_uri preview_link draft_photo draft_picture preview_video draft_icon draft_logo
  preview_color preview_colour preview_colours draft_text draft_title preview_label recipient_name audience_note permission_description
  draft_template preview_style preview_font audience_size expiration_year expiry_format audience_language audience_place recipient_venue
  notification_room reminder_phone expiry_price deletion_fee expiration_cost retention_discount published_by published_books published_work
  publishing_house publishing_editor draft_beers destroyed_code notification_number reminder_count retention_currency permissions_reference
  preview_version deleted_scenes draft_of_the_contract expiry_date_of_milk audience_of_children
  disabled_access show_time showtime release_date send_cv target_group closed_on lock_type launch_date shadow_play accept_terms how_to who_is_it_for
  test_results drafty previewer publisher notable remainder delegate expert expedition hideout audio recipe bccx embark backdrop retain_wall purgatory
  privateer privet caches cachet simulant simulator geplauder sichtung secretary secretariat segway tajine programmatore programmatical
  ocular undoing dryer livery silence sendoff statute`;

describe("whatever a field is called, by its meaning", () => {
  const acts = (name: string) => actingFields(name, "x", name, false).length;

  it("it acts, or only describes", () => {
    expect(OF_THE_KIND.split(" ").filter((name) => acts(name) !== 1)).toEqual([]);
    expect(LIKE_IT.split(" ").filter((name) => acts(name) !== 0)).toEqual([]);
  });

  it.each(TOLD)("it changes %s", (act, names) => {
    expect(names.split(/\s+/).filter((name) => actOf(name) !== act)).toEqual([]);
  });

  it("it only describes where a thing is named behind, or where the word is another", () => {
    expect(ONLY_NAMED.split(/\s+/).filter((name) => actOf(name) !== null)).toEqual([]);
  });

  it("it tells what a saved query is to tell of, and only there", () => {
    const names =
      `max_price min_price maximum_cost minimum_budget below above_rent under_amount over_eur exclude_keywords excluded_sites excluding_sellers excludes
      except_titles without_tags not_keyword frequency freq interval digest cadence daily weekly hourly realtime cooldown throttle batch threshold_euro
      score_usd sensitivity strictness fuzzy exact_words times_gbp channel_email channels_mail every quota_per_kinds must_matches webhook_sms callback
      alert_telegram alerts_slack alert_phone max_distance max_radius radius_max_km min_relevance exact_terms`.split(
        /\s+/,
      );
    expect(names.filter((name) => actOf(name, true) !== "what is told")).toEqual([]);
    const elsewhere = names.filter((name) => !/^(?:exclude|except)/.test(name));
    expect(elsewhere.filter((name) => actOf(name) !== null)).toEqual([]);
    const others = [
      "maximal",
      "minute_hand",
      "max_colour",
      "price",
      "email",
      "radius",
      "tags",
      "frequencies",
      "alerted",
    ];
    expect(others.filter((name) => actOf(name, true) !== null)).toEqual([]);
  });

  it("it acts down to the sixth level", () => {
    const within = (levels: number): object => (levels === 0 ? { draft: true } : { x: within(levels - 1) });
    expect([5, 6].map((levels) => actingFields("x", within(levels), "x", false).length)).toEqual([1, 0]);
  });

  it("a part of the board acts where it is switched, and describes where it has a value", () => {
    const parts =
      "index feed feeds rss sitemap search webhook webhooks syndication comment comments replies reader readers group groups crawler priority search_webhook";
    for (const name of `${parts} really run`.split(" ")) {
      expect(actingFields(name, false, name, false)).toHaveLength(1);
      expect(actingFields(name, "12", name, false)).toEqual([]);
    }
    for (const name of ["index_fund", "group_photo"])
      expect(actingFields(name, false, name, false)).toEqual([]);
  });
});

describe("over REST, a post", () => {
  it.each([
    ["locaton", "Leipzig"],
    ["starts_att", "2027-03-01T10:00:00Z"],
    ["ends_att", "2027-03-01T11:00:00Z"],
    ["timezon", "Europe/Berlin"],
    ["parent_idd", "post_22222222222222"],
    ["source_urll", "https://example.org/a"],
  ])("is not written without what was sent as %s", async (name, value) => {
    const text = { title: `Notice with ${name}`, body: `It has ${name}.` };
    const refused = await call(board, "POST /posts", { ...text, [name]: value }, own);
    expect(refused).toMatchObject({ status: 400, body: { error: { issues: [{ path: name }] } } });
  });

  it("is written without a misspelt field that changes less, and says so", async () => {
    const text = { title: "Notice with tagz", body: "It has tagz." };
    const { status, body } = await call(board, "POST /posts", { ...text, tagz: ["a"] }, own);
    expect([status, body.meta.note]).toEqual([201, expect.stringContaining("`tagz`")]);
  });
});

describe("a field that only describes", () => {
  const described = Object.fromEntries(DECORATING.split(" ").map((field) => [field, "x"]));

  it.each(
    writing
      .filter(({ name }) => name !== "redeliver")
      .map((operation) => [operation.name, operation] as const),
  )("lets %s through over REST, and is named", async (name, operation) => {
    const { key } = await register(board, name);
    const input = { ...(await inputOf(operation, 0, key)), ...described };
    const caller = name === "register_publisher" ? undefined : key;
    const { status, body } = await overRest(operation, input, caller);
    // What these need is not there: a webhook, and a publisher that is verified.
    const missing = /webhook$/.test(name)
      ? "no_webhook"
      : name === "recover_publisher" && "publisher_not_found";
    if (missing !== false) return expect(body.error.code).toBe(missing);
    expect([name, status, body.error?.issues]).toEqual([name, status < 300 ? status : 200, undefined]);
    for (const field of Object.keys(described)) expect(body.meta.note).toContain(`\`${field}\``);
  });

  it.each(writingTools)("lets %s through over MCP, and is named", async (name, tool) => {
    const input = { ...(await inputOf(tool, 10, own.key)), ...described };
    const { text, isError } = await (name === "register_publisher" ? newcomer : client).call(name, input);
    expect([isError, text]).toEqual([false, expect.any(String)]);
    for (const field of Object.keys(described)) expect(text).toContain(`\`${field}\``);
  });
});
